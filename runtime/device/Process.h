// Processes as those that share memory with them know them.
//
// Outside of containers that is the process id. In a PID namespace it says nothing to processes of other
// ones, nor can these ask after it. There a process holds a number above all process ids, as a name in the
// abstract socket name space: the kernel gives it back when the process ends, and whoever shares the network
// namespace can see whether it is held.
#pragma once

#include <cstdint>

namespace rdma::device {

/// The id of this process; kept in a variable because the data path needs it often. Renewed after fork.
uint32_t processId();

/// Whether the process is gone: exited, killed, or a zombie that nobody has waited for. One that cannot be
/// asked after is not.
bool processGone(uint32_t Id);

/// Whether somebody who waits for a process should ask after it at that look, of 1, 2, 3, ...: at once, and
/// then now and then. Between two looks others may have the processor for milliseconds.
constexpr bool isLookToAskAt(uint32_t Look) { return Look % 16 == 0 || (Look & (Look - 1)) == 0; }

/// Whether this process is in a PID namespace other than the machine's first.
bool isContained();

} // namespace rdma::device
