// The public calls of rdma/rsocket.h.
#include "runtime/sockets/Socket.h"

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <rdma/rsocket.h>
#include <sys/socket.h>

using namespace rdma::sockets;

namespace {

template <typename Call> auto with(int Fd, Call Use) -> decltype(Use(std::declval<Socket &>())) {
  std::shared_ptr<Socket> S = Socket::find(Fd);
  return S ? Use(*S) : -1;
}

std::span<const iovec> partsOf(const iovec *Parts, size_t Count) { return {Parts, Count}; }

} // namespace

extern "C" {

int rsocket(int Family, int Type, int Protocol) {
  int Kind = Type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (Kind != SOCK_STREAM || (Protocol && Protocol != IPPROTO_TCP))
    return failed(EPROTONOSUPPORT); // sockets for datagrams are not part of the emulated device
  int Fd = Socket::create(Family);
  if (Fd >= 0 && Type & SOCK_NONBLOCK)
    Socket::find(Fd)->setFlags(O_NONBLOCK);
  return Fd;
}

int rbind(int Fd, const sockaddr *At, socklen_t) {
  return with(Fd, [&](Socket &S) { return S.bind(At); });
}
int rlisten(int Fd, int Backlog) {
  return with(Fd, [&](Socket &S) { return S.listen(Backlog); });
}
int raccept(int Fd, sockaddr *From, socklen_t *Size) {
  return with(Fd, [&](Socket &S) { return S.accept(From, Size); });
}
int rconnect(int Fd, const sockaddr *To, socklen_t) {
  return with(Fd, [&](Socket &S) { return S.connect(To); });
}
int rshutdown(int Fd, int How) {
  return with(Fd, [&](Socket &S) { return S.shutdown(How); });
}
int rclose(int Fd) {
  return with(Fd, [&](Socket &S) { return S.close(); });
}

ssize_t rrecvmsg(int Fd, msghdr *Message, int Flags) {
  return with(Fd,
              [&](Socket &S) { return S.receive(partsOf(Message->msg_iov, Message->msg_iovlen), Flags); });
}
ssize_t rsendmsg(int Fd, const msghdr *Message, int Flags) {
  return with(Fd, [&](Socket &S) { return S.send(partsOf(Message->msg_iov, Message->msg_iovlen), Flags); });
}
ssize_t rrecv(int Fd, void *To, size_t Size, int Flags) {
  iovec Part = {To, Size};
  return with(Fd, [&](Socket &S) { return S.receive(partsOf(&Part, 1), Flags); });
}
ssize_t rsend(int Fd, const void *From, size_t Size, int Flags) {
  iovec Part = {const_cast<void *>(From), Size};
  return with(Fd, [&](Socket &S) { return S.send(partsOf(&Part, 1), Flags); });
}
ssize_t rrecvfrom(int Fd, void *To, size_t Size, int Flags, sockaddr *From, socklen_t *FromSize) {
  ssize_t Length = rrecv(Fd, To, Size, Flags);
  if (Length > 0 && From)
    rgetpeername(Fd, From, FromSize);
  return Length;
}
ssize_t rsendto(int Fd, const void *From, size_t Size, int Flags, const sockaddr *To, socklen_t) {
  return To ? failed(EISCONN) : rsend(Fd, From, Size, Flags);
}
ssize_t rread(int Fd, void *To, size_t Size) { return rrecv(Fd, To, Size, 0); }
ssize_t rwrite(int Fd, const void *From, size_t Size) { return rsend(Fd, From, Size, 0); }
ssize_t rreadv(int Fd, const iovec *Parts, int Count) {
  return with(Fd, [&](Socket &S) { return S.receive(partsOf(Parts, static_cast<size_t>(Count)), 0); });
}
ssize_t rwritev(int Fd, const iovec *Parts, int Count) {
  return with(Fd, [&](Socket &S) { return S.send(partsOf(Parts, static_cast<size_t>(Count)), 0); });
}

int rgetpeername(int Fd, sockaddr *To, socklen_t *Size) {
  return with(Fd, [&](Socket &S) { return S.address(true, To, Size); });
}
int rgetsockname(int Fd, sockaddr *To, socklen_t *Size) {
  return with(Fd, [&](Socket &S) { return S.address(false, To, Size); });
}
int rsetsockopt(int Fd, int Level, int Name, const void *Value, socklen_t Size) {
  return with(Fd, [&](Socket &S) { return S.setOption(Level, Name, Value, Size); });
}
int rgetsockopt(int Fd, int Level, int Name, void *Value, socklen_t *Size) {
  return with(Fd, [&](Socket &S) { return S.option(Level, Name, Value, Size); });
}

int rfcntl(int Fd, int Command, ...) {
  va_list Arguments;
  va_start(Arguments, Command);
  int Flags = Command == F_SETFL ? va_arg(Arguments, int) : 0;
  va_end(Arguments);
  return with(Fd, [&](Socket &S) {
    return Command == F_SETFL ? S.setFlags(Flags) : Command == F_GETFL ? S.flags() : failed(ENOTSUP);
  });
}

off_t riomap(int Fd, void *At, size_t Size, int Protection, int, off_t Offset) {
  return with(Fd, [&](Socket &S) { return S.map(At, Size, Protection, Offset); });
}
int riounmap(int Fd, void *At, size_t Size) {
  return with(Fd, [&](Socket &S) { return S.unmap(At, Size); });
}
size_t riowrite(int Fd, const void *From, size_t Size, off_t Offset, int Flags) {
  return static_cast<size_t>(with(Fd, [&](Socket &S) {
    return S.writeMapped(static_cast<const char *>(From), Size, static_cast<uint64_t>(Offset), Flags);
  }));
}
}
