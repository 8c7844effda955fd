#include "runtime/device/Descriptors.h"

#include "runtime/device/AbstractName.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

namespace rdma::device::descriptors {

namespace {

/// Room for one descriptor beside a byte of data.
struct Parcel {
  char Byte = 0;
  iovec Data = {&Byte, 1};
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
  msghdr Message = {};
  Parcel() {
    Message.msg_iov = &Data;
    Message.msg_iovlen = 1;
    Message.msg_control = Control;
    Message.msg_controllen = sizeof Control;
  }
};

int receive(int Socket) {
  Parcel P;
  if (recvmsg(Socket, &P.Message, MSG_CMSG_CLOEXEC) != 1)
    return -1;
  cmsghdr *Header = CMSG_FIRSTHDR(&P.Message);
  if (!Header || Header->cmsg_type != SCM_RIGHTS || Header->cmsg_len != CMSG_LEN(sizeof(int)))
    return -1;
  int File;
  memcpy(&File, CMSG_DATA(Header), sizeof File);
  return File;
}

void send(int Socket, int File) {
  Parcel P;
  if (File < 0) {
    P.Message.msg_controllen = 0;
  } else {
    cmsghdr *Header = CMSG_FIRSTHDR(&P.Message);
    Header->cmsg_level = SOL_SOCKET;
    Header->cmsg_type = SCM_RIGHTS;
    Header->cmsg_len = CMSG_LEN(sizeof File);
    memcpy(CMSG_DATA(Header), &File, sizeof File);
  }
  (void)sendmsg(Socket, &P.Message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// Who holds the other end of the connection.
bool whoseEnd(int Socket, ucred &Who) {
  socklen_t Size = sizeof Who;
  return getsockopt(Socket, SOL_SOCKET, SO_PEERCRED, &Who, &Size) == 0;
}

bool isOwnUsers(int Socket) {
  ucred Who = {};
  return whoseEnd(Socket, Who) && Who.uid == geteuid();
}

bool isPipe(int File) {
  struct stat Status = {};
  return fstat(File, &Status) == 0 && S_ISFIFO(Status.st_mode);
}

} // namespace

int reach(const std::string &Name, uid_t &User, pid_t &Pid) {
  int Socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ucred Who = {};
  if (withName(connect, Socket, Name) == 0 && whoseEnd(Socket, Who)) {
    User = Who.uid;
    Pid = Who.pid;
    return Socket;
  }
  close(Socket);
  return -1;
}

int askFor(const std::string &Name, uint32_t Number) {
  uid_t User;
  pid_t Pid;
  int Socket = reach(Name, User, Pid);
  if (Socket < 0)
    return -1;
  timeval Patience = {2, 0}; // a node outside of containers does not answer
  setsockopt(Socket, SOL_SOCKET, SO_RCVTIMEO, &Patience, sizeof Patience);
  int File = -1;
  if (::send(Socket, &Number, sizeof Number, MSG_NOSIGNAL) == sizeof Number)
    File = receive(Socket);
  close(Socket);
  return File;
}

bool answer(int Caller, int SegmentFile, int WindowFile) {
  uint32_t Number;
  ssize_t Length = recv(Caller, &Number, sizeof Number, MSG_DONTWAIT);
  if (Length != sizeof Number)
    return Length < 0 && errno == EAGAIN;
  int File = Number == Segment ? SegmentFile : static_cast<int>(Number);
  bool Given = isOwnUsers(Caller) && (File == SegmentFile || File == WindowFile || isPipe(File));
  send(Caller, Given ? File : -1);
  return true;
}

} // namespace rdma::device::descriptors
