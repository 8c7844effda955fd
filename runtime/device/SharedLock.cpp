#include "runtime/device/SharedLock.h"

#include <cerrno>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rdma::device {

static std::atomic<uint32_t> ProcessId{0};

uint32_t processId() {
  uint32_t Pid = ProcessId.load(std::memory_order_relaxed);
  if (Pid)
    return Pid;
  static int Once = pthread_atfork(nullptr, nullptr, [] { ProcessId = static_cast<uint32_t>(getpid()); });
  (void)Once;
  ProcessId = Pid = static_cast<uint32_t>(getpid());
  return Pid;
}

bool processGone(uint32_t Pid) {
  // A pid descriptor becomes readable when the process ends, also while it waits to be reaped.
  int Fd = static_cast<int>(syscall(SYS_pidfd_open, Pid, 0));
  if (Fd < 0)
    return errno == ESRCH;
  pollfd Poll = {Fd, POLLIN, 0};
  bool Gone = poll(&Poll, 1, 0) == 1;
  close(Fd);
  return Gone;
}

} // namespace rdma::device
