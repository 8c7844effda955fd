// What every test program of the device needs to open it and to connect queue pairs.
//
// A check that fails prints its line and ends the process with status 1.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <cstdio>
#include <unistd.h>

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
  /// Waits until the other end is gone.
  bool isClosed() const {
    char None;
    return read(Fd, &None, 1) == 0;
  }

private:
  int Fd;
};

/// A device of the process, a protection domain, one completion queue.
struct Device {
  explicit Device(int Completions = 256, int Index = 0);
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

} // namespace rdma::test
