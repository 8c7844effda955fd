// What sockets of both kinds have: a number, waiting, the parts of a message.
#include "runtime/sockets/Socket.h"

#include "runtime/cm/Ports.h"
#include "runtime/device/Weak.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <utility>

namespace rdma::sockets {

namespace {

std::mutex TableLock;

std::map<int, std::shared_ptr<Socket>> &table() {
  static auto *The = new std::map<int, std::shared_ptr<Socket>>; // threads may still run at exit
  return *The;
}

} // namespace

int failed(int Error) {
  errno = Error;
  return -1;
}

void doNotBlock(int Fd) { fcntl(Fd, F_SETFL, fcntl(Fd, F_GETFL) | O_NONBLOCK); }

size_t lengthOf(std::span<const iovec> Parts) {
  size_t Sum = 0;
  for (const iovec &P : Parts)
    Sum += P.iov_len;
  return Sum;
}

void tell(const sockaddr *At, void *To, socklen_t *Size) {
  memcpy(To, At, std::min(*Size, cm::lengthOf(At)));
  *Size = cm::lengthOf(At);
}

std::shared_ptr<Socket> Socket::known(int Fd) {
  std::lock_guard Guard(TableLock);
  auto Found = table().find(Fd);
  return Found == table().end() ? nullptr : Found->second;
}

std::shared_ptr<Socket> Socket::find(int Fd) {
  std::shared_ptr<Socket> S = known(Fd);
  if (!S)
    errno = EBADF;
  return S;
}

void Socket::enlist(int Fd, std::shared_ptr<Socket> S) {
  S->Number = Fd;
  std::lock_guard Guard(TableLock);
  table()[Fd] = std::move(S);
}

int Socket::close() {
  {
    Guard Held(Lock);
    finish(Held);
  }
  std::shared_ptr<Socket> Last;
  std::lock_guard Guard(TableLock);
  auto Found = table().find(Number);
  if (Found != table().end()) {
    Last = std::move(Found->second);
    table().erase(Found);
  }
  return 0;
}

void Socket::descriptors(std::vector<pollfd> &To) {
  std::lock_guard Held(Lock);
  watch(To);
  HasSlept = true;
}

bool Socket::pause(Guard &Held) {
  std::vector<pollfd> All;
  watch(All);
  if (progress()) // what came before it was asked for
    return true;
  Held.unlock();
  bool Interrupted = device::WeakScheduler::awaitEvents(All.data(), All.size(), Nap) < 0 && errno == EINTR;
  Held.lock();
  HasSlept = true;
  return !Interrupted || !device::WeakScheduler::isToldOfSignals();
}

bool Socket::looksAtAll() {
  constexpr unsigned Seldom = 64;
  return std::exchange(HasSlept, false) || ++Asked % Seldom == 0;
}

} // namespace rdma::sockets
