// Nodes for the tests of the device: child processes that run one role each, and what a role needs to open
// the device and connect queue pairs.
//
// A check that fails in a role prints its line and ends the process with status 1; the test sees the status.
#pragma once

#include <infiniband/verbs.h>

#include "rdma/order.h" // before anything that posts or polls

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace rdma::test {

#define CHECK(Condition)                                                                                     \
  do {                                                                                                       \
    if (!(Condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #Condition);                                \
      _exit(1);                                                                                              \
    }                                                                                                        \
  } while (false)

inline constexpr unsigned AllAccess =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

/// What the environment asks of the device.
struct Schedule {
  bool Weak = false;
  unsigned Seed = 1;
};

/// Bytes to and from the other role.
class Line {
public:
  explicit Line(int Fd) : Fd(Fd) {}
  template <typename T> void tell(const T &What) const {
    CHECK(write(Fd, &What, sizeof What) == sizeof What);
  }
  template <typename T> T hear() const {
    T What = {};
    CHECK(read(Fd, &What, sizeof What) == static_cast<ssize_t>(sizeof What));
    return What;
  }
  /// Both roles are here.
  void meet() const {
    tell('!');
    hear<char>();
  }

private:
  int Fd;
};

using Role = std::function<void(Line)>;

/// Runs the roles as two processes of one fabric of their own; the exit statuses, or 128 and the signal.
std::pair<int, int> runRoles(Schedule S, const Role &One, const Role &Two);
/// One process.
int runRole(Schedule S, const std::function<void()> &Only);

/// The device, a protection domain, one completion queue.
struct Device {
  explicit Device(int Completions = 256);
  ibv_context *Context;
  ibv_pd *Domain;
  ibv_cq *Cq;

  ibv_mr *offer(void *At, size_t Size, unsigned Access = AllAccess) const;
  ibv_qp *queuePair(uint32_t Depth = 64, bool AllSignaled = false) const;
};

struct Address {
  uint16_t Lid;
  uint32_t Number;
  uint64_t At;
  uint32_t Rkey;
};

Address addressOf(const Device &D, const ibv_qp *Qp, const ibv_mr *Mr);
void toInit(ibv_qp *Qp, unsigned Access = AllAccess);
void connect(ibv_qp *Qp, const Address &Peer, unsigned Access = AllAccess, uint8_t RnrRetry = 7);
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
