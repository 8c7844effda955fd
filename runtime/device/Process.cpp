#include "runtime/device/Process.h"

#include "runtime/device/AbstractName.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace rdma::device {

namespace {

constexpr uint32_t FirstHeld = 1 << 22; ///< more than any process id (proc(5), pid_max)
constexpr uint32_t Held = 1 << 30;      ///< how many such numbers there are

std::atomic<uint32_t> ProcessId{0};
int Holder = -1; ///< the socket that holds the number of this process

std::string nameOf(uint32_t Id) {
  return "rdma-process/" + std::to_string(geteuid()) + "/" + std::to_string(Id);
}

int datagramSocket() { return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); }

uint32_t holdNumber() {
  int Socket = datagramSocket();
  auto Id = static_cast<uint32_t>(getpid());
  while (int Error = withName(bind, Socket, nameOf(FirstHeld + Id))) {
    if (Error != EADDRINUSE)
      throw std::system_error(Error, std::generic_category(), "hold a name of the process");
    Id = (Id + 1) % Held;
  }
  // Another thread may have been first.
  uint32_t None = 0;
  if (!ProcessId.compare_exchange_strong(None, FirstHeld + Id)) {
    close(Socket);
    return None;
  }
  Holder = Socket;
  return FirstHeld + Id;
}

void afterForkInChild() {
  if (!isContained()) {
    ProcessId = static_cast<uint32_t>(getpid());
    return;
  }
  close(Holder);
  Holder = -1;
  ProcessId = 0; // it holds another one when it needs it
}

} // namespace

bool isContained() {
  static const bool Is = [] {
    char Text[64] = {};
    return readlink("/proc/self/ns/pid", Text, sizeof Text - 1) > 0 && strcmp(Text, "pid:[4026531836]") != 0;
  }();
  return Is;
}

uint32_t processId() {
  uint32_t Id = ProcessId.load(std::memory_order_relaxed);
  if (Id)
    return Id;
  static int Once = pthread_atfork(nullptr, nullptr, afterForkInChild);
  (void)Once;
  if (isContained())
    return holdNumber();
  ProcessId = Id = static_cast<uint32_t>(getpid());
  return Id;
}

static bool numberIsFree(uint32_t Id) {
  int Socket = datagramSocket();
  bool Free = withName(connect, Socket, nameOf(Id)) == ECONNREFUSED;
  close(Socket);
  return Free;
}

bool processGone(uint32_t Id) {
  if (Id >= FirstHeld)
    return numberIsFree(Id);
  if (isContained())
    return false;
  // A pid descriptor becomes readable when the process ends, also while it waits to be reaped.
  int Fd = static_cast<int>(syscall(SYS_pidfd_open, Id, 0));
  if (Fd < 0)
    return errno == ESRCH;
  pollfd Poll = {Fd, POLLIN, 0};
  bool Gone = poll(&Poll, 1, 0) == 1;
  close(Fd);
  return Gone;
}

} // namespace rdma::device
