// Files of a node for a peer that cannot open them, because it is in another PID namespace: it asks for them
// on a connection to the node's name, and they are sent along (SCM_RIGHTS, unix(7)).
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace rdma::device::descriptors {

/// In place of a descriptor's number there: the node's segment.
inline constexpr uint32_t Segment = ~uint32_t(0);

/// Connects to the name that a node holds, as long as it runs, and says whose it is: of a process in a PID
/// namespace that cannot be seen from here, the pid is 0. -1 when there is no such node.
int reach(const std::string &Name, uid_t &User, pid_t &Pid);

/// The file with that number at the node, -1 when the node does not give it.
int askFor(const std::string &Name, uint32_t Number);

/// A caller has asked, or is gone: false then. Only the segment, the window and pipes are given, to the same
/// user.
bool answer(int Caller, int SegmentFile, int WindowFile);

} // namespace rdma::device::descriptors
