// Nodes for the tests of the device: child processes that run one role each. A check that fails in a role
// ends its process with status 1; the test sees the status.
#pragma once

#include "Verbs.h"

#include "rdma/order.h" // before anything that posts or polls

#include <functional>
#include <string>
#include <utility>

namespace rdma::test {

/// What the environment asks of the device.
struct Schedule {
  bool Weak = false;
  unsigned Seed = 1;
  bool Ordered = false;
  const char *Torn = nullptr;
};

using Role = std::function<void(Line)>;

/// Runs the roles as two processes of one fabric of their own; the exit statuses, or 128 and the signal.
std::pair<int, int> runRoles(Schedule S, const Role &One, const Role &Two);
/// One process.
int runRole(Schedule S, const std::function<void()> &Only);
/// How many of the seeds from 1 on end in the outcome that Seen tells, each run in a process of its own.
unsigned count(Schedule S, unsigned Seeds, const std::function<bool()> &Seen);
/// Whether some seed ends in it. The first that does is enough: how soon one does is up to the machine.
bool isSeen(Schedule S, const std::function<bool()> &Seen);
inline constexpr unsigned ManySeeds = 2000;

/// Swaps addresses and connects; what the peer offers.
Address meetPeer(const Line &L, const Device &D, ibv_qp *Qp, const ibv_mr *Mr, unsigned Access = AllAccess);
/// A queue pair connected to itself.
ibv_qp *loopback(const Device &D, uint32_t Depth = 64);

/// A work request on one piece of local memory.
struct Work {
  ibv_sge Sge = {};
  ibv_send_wr Wr = {};
  Work(ibv_wr_opcode Opcode, const ibv_mr *Local, void *At, uint32_t Size, const Address &To,
       uint64_t Offset = 0, unsigned Flags = IBV_SEND_SIGNALED);
  Work &swap(uint64_t Expected, uint64_t New);
  Work &add(uint64_t What);
  int post(ibv_qp *Qp);
};

/// Spins until there is a completion.
ibv_wc awaitCompletion(ibv_cq *Cq);

} // namespace rdma::test
