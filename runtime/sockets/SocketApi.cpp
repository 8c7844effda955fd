// The public calls of rdma/rsocket.h.
#include "runtime/sockets/Datagrams.h"
#include "runtime/sockets/Stream.h"

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

/// Of so many parts.
msghdr messageOf(const iovec *Parts, size_t Count) {
  msghdr M = {};
  M.msg_iov = const_cast<iovec *>(Parts);
  M.msg_iovlen = Count;
  return M;
}

} // namespace

extern "C" {

int rsocket(int Family, int Type, int Protocol) {
  int Kind = Type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (Family != AF_INET && Family != AF_INET6)
    return failed(EAFNOSUPPORT);
  bool IsStream = Kind == SOCK_STREAM && (!Protocol || Protocol == IPPROTO_TCP);
  if (!IsStream && (Kind != SOCK_DGRAM || (Protocol && Protocol != IPPROTO_UDP)))
    return failed(EPROTONOSUPPORT);
  int Fd = IsStream ? Stream::create() : Datagrams::create(Family);
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
  return with(Fd, [&](Socket &S) { return S.receive(*Message, Flags); });
}
ssize_t rsendmsg(int Fd, const msghdr *Message, int Flags) {
  return with(Fd, [&](Socket &S) { return S.send(*Message, Flags); });
}
ssize_t rreadv(int Fd, const iovec *Parts, int Count) {
  msghdr Message = messageOf(Parts, static_cast<size_t>(Count));
  return rrecvmsg(Fd, &Message, 0);
}
ssize_t rwritev(int Fd, const iovec *Parts, int Count) {
  msghdr Message = messageOf(Parts, static_cast<size_t>(Count));
  return rsendmsg(Fd, &Message, 0);
}
ssize_t rrecvfrom(int Fd, void *To, size_t Size, int Flags, sockaddr *From, socklen_t *FromSize) {
  iovec Part = {To, Size};
  msghdr Message = messageOf(&Part, 1);
  Message.msg_name = From;
  Message.msg_namelen = From ? *FromSize : 0;
  ssize_t Length = rrecvmsg(Fd, &Message, Flags);
  if (Length >= 0 && From)
    *FromSize = Message.msg_namelen;
  return Length;
}
ssize_t rsendto(int Fd, const void *From, size_t Size, int Flags, const sockaddr *To, socklen_t ToSize) {
  iovec Part = {const_cast<void *>(From), Size};
  msghdr Message = messageOf(&Part, 1);
  Message.msg_name = const_cast<sockaddr *>(To);
  Message.msg_namelen = ToSize;
  return rsendmsg(Fd, &Message, Flags);
}
ssize_t rrecv(int Fd, void *To, size_t Size, int Flags) {
  return rrecvfrom(Fd, To, Size, Flags, nullptr, nullptr);
}
ssize_t rsend(int Fd, const void *From, size_t Size, int Flags) {
  return rsendto(Fd, From, Size, Flags, nullptr, 0);
}
ssize_t rread(int Fd, void *To, size_t Size) { return rrecv(Fd, To, Size, 0); }
ssize_t rwrite(int Fd, const void *From, size_t Size) { return rsend(Fd, From, Size, 0); }

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
