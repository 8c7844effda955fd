// rsockets: the calls of rdma/rsocket.h. A socket is a stream (Stream.h) or for datagrams (Datagrams.h).
//
// There is no thread: everything happens in the program's own calls. A call that waits sleeps on the
// descriptors from which the socket has its news.
#pragma once

#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <poll.h>
#include <span>
#include <sys/socket.h>
#include <sys/uio.h>
#include <vector>

namespace rdma::sockets {

/// A thread may take the news that another one sleeps for; so nobody sleeps for longer than these
/// milliseconds.
inline constexpr int Nap = 10;

/// Sets errno; -1.
int failed(int Error);

/// Errors are told in errno, and -1, as by the calls of the same name.
class Socket {
public:
  virtual ~Socket() = default;
  Socket(const Socket &) = delete;
  Socket &operator=(const Socket &) = delete;

  /// Null with errno.
  static std::shared_ptr<Socket> find(int Fd);
  /// The same, for descriptors that may be of another kind.
  static std::shared_ptr<Socket> known(int Fd);

  virtual int bind(const sockaddr *At) = 0;
  virtual int listen(int) { return failed(EOPNOTSUPP); }
  virtual int accept(sockaddr *, socklen_t *) { return failed(EOPNOTSUPP); }
  virtual int connect(const sockaddr *To) = 0;
  virtual int shutdown(int How) = 0;
  /// The descriptor is free.
  int close();

  /// With the sender's address, when there is room for it.
  virtual ssize_t receive(msghdr &To, int Flags) = 0;
  virtual ssize_t send(const msghdr &From, int Flags) = 0;

  virtual int64_t map(void *, size_t, int, int64_t) { return failed(EOPNOTSUPP); }
  virtual int unmap(void *, size_t) { return failed(EOPNOTSUPP); }
  virtual ssize_t writeMapped(const char *, size_t, uint64_t, int) { return failed(EOPNOTSUPP); }

  virtual int address(bool Peer, sockaddr *To, socklen_t *Size) = 0;
  int setFlags(int Flags);
  int flags();
  int setOption(int Level, int Name, const void *Value, socklen_t Size);
  int option(int Level, int Name, void *Value, socklen_t *Size);

  /// What of Events is so now, as poll(2) has it.
  virtual short ready(short Events) = 0;
  /// What to sleep on until that may change.
  void descriptors(std::vector<pollfd> &To);

protected:
  using Guard = std::unique_lock<std::mutex>;

  Socket() = default;
  /// Known from now on by this number.
  static void enlist(int Fd, std::shared_ptr<Socket> S);

  /// Takes what others have to say; whether there was something. The lock is held here and below.
  virtual bool progress() = 0;
  /// Asks to be woken when there is more, and says by what.
  virtual void watch(std::vector<pollfd> &To) = 0;
  /// What closing does while the socket is still there.
  virtual void finish(Guard &) {}
  virtual int setOneFamily(int Value) = 0; ///< of IPv6: IPv4 has its own ports
  virtual int bufferSize() const = 0;

  /// Lets go of the lock for a moment of waiting. False: a signal has come that the program wants to hear of.
  bool pause(Guard &Held);
  /// Until Ready() or there is nothing to wait for any more; false with EAGAIN when the call may not wait,
  /// with EINTR when a signal has come.
  template <typename Condition> bool wait(Guard &Held, int Flags, Condition Ready) {
    for (bool Interrupted = false;;) {
      progress();
      if (Ready())
        return true;
      if (Interrupted) {
        errno = EINTR;
        return false;
      }
      if (!IsBlocking || Flags & MSG_DONTWAIT) {
        errno = EAGAIN;
        return false;
      }
      Interrupted = !pause(Held);
    }
  }
  /// Whether to look at the descriptors, too: who asks again and again mostly wants the data.
  bool looksAtAll();

  std::mutex Lock;
  int Number = -1; ///< the descriptor
  int Error = 0;   ///< for SO_ERROR
  bool IsBlocking = true;

private:
  bool HasSlept = false; ///< on the descriptors
  unsigned Asked = 0;
  std::map<std::pair<int, int>, int> Options;
};

/// The bytes of several parts together.
size_t lengthOf(std::span<const iovec> Parts);
/// Copies a stretch of them.
template <typename Copy> void forStretch(std::span<const iovec> Parts, size_t From, size_t Size, Copy Each) {
  for (const iovec &P : Parts) {
    if (From >= P.iov_len) {
      From -= P.iov_len;
      continue;
    }
    size_t Part = std::min(Size, P.iov_len - From);
    Each(static_cast<char *>(P.iov_base) + From, Part);
    Size -= Part;
    From = 0;
    if (!Size)
      return;
  }
}
inline std::span<const iovec> partsOf(const msghdr &M) { return {M.msg_iov, M.msg_iovlen}; }
/// As much of an address as there is room for.
void tell(const sockaddr *At, void *To, socklen_t *Size);

void doNotBlock(int Fd);

} // namespace rdma::sockets
