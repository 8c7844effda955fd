// Waiting for several sockets, and files of other kinds beside them.
#include "runtime/device/Weak.h"
#include "runtime/sockets/Socket.h"

#include <algorithm>
#include <chrono>
#include <sys/select.h>

using namespace rdma::sockets;

namespace {

using Clock = std::chrono::steady_clock;

/// What is ready now of the sockets among the files.
int check(pollfd *Files, nfds_t Count) {
  int Ready = 0;
  for (nfds_t I = 0; I < Count; ++I)
    if (std::shared_ptr<Socket> S = Files[I].fd < 0 ? nullptr : Socket::known(Files[I].fd)) {
      Files[I].revents = S->ready(Files[I].events);
      Ready += Files[I].revents != 0;
    }
  return Ready;
}

/// Polls the files of other kinds, and what the sockets sleep on. How many of the former are ready.
int sleepOn(pollfd *Files, nfds_t Count, int Timeout) {
  std::vector<pollfd> All;
  std::vector<pollfd *> Others;
  for (nfds_t I = 0; I < Count; ++I)
    if (Files[I].fd >= 0 && !Socket::known(Files[I].fd)) {
      All.push_back({Files[I].fd, Files[I].events, 0});
      Others.push_back(&Files[I]);
    }
  bool HasSockets = Others.size() != Count;
  for (nfds_t I = 0; HasSockets && I < Count; ++I)
    if (std::shared_ptr<Socket> S = Files[I].fd < 0 ? nullptr : Socket::known(Files[I].fd))
      S->descriptors(All);
  if (HasSockets && check(Files, Count)) // after the notification was asked for
    Timeout = 0;
  else if (HasSockets)
    Timeout = Timeout < 0 ? Nap : std::min(Timeout, Nap);
  if (rdma::device::WeakScheduler::awaitEvents(All.data(), All.size(), Timeout) < 0)
    return -1;
  int Ready = 0;
  for (size_t I = 0; I < Others.size(); ++I) {
    Others[I]->revents = All[I].revents;
    Ready += All[I].revents != 0;
  }
  return Ready;
}

} // namespace

extern "C" {

int rpoll(pollfd *Files, nfds_t Count, int Timeout) {
  auto End = Clock::now() + std::chrono::milliseconds(Timeout);
  for (;;) {
    int Sockets = check(Files, Count);
    auto Left = std::chrono::ceil<std::chrono::milliseconds>(End - Clock::now()).count();
    int Rest = Timeout < 0 ? -1 : static_cast<int>(std::max<int64_t>(Left, 0));
    int Others = sleepOn(Files, Count, Sockets ? 0 : Rest);
    if (Others < 0)
      return -1;
    Sockets = check(Files, Count);
    if (Sockets + Others || Rest == 0)
      return Sockets + Others;
  }
}

int rselect(int Count, fd_set *Read, fd_set *Write, fd_set *Except, timeval *Timeout) {
  std::vector<pollfd> Files;
  auto has = [](fd_set *Set, int Fd) { return Set && FD_ISSET(Fd, Set); };
  for (int Fd = 0; Fd < Count; ++Fd) {
    int Events =
        (has(Read, Fd) ? POLLIN : 0) | (has(Write, Fd) ? POLLOUT : 0) | (has(Except, Fd) ? POLLPRI : 0);
    if (Events)
      Files.push_back({Fd, static_cast<short>(Events), 0});
  }
  int Milliseconds = Timeout ? static_cast<int>(Timeout->tv_sec * 1000 + Timeout->tv_usec / 1000) : -1;
  if (rpoll(Files.data(), Files.size(), Milliseconds) < 0)
    return -1;
  int Ready = 0;
  auto keep = [&](fd_set *Set, const pollfd &File, int Events) {
    if (!has(Set, File.fd))
      return;
    if (File.revents & Events)
      ++Ready;
    else
      FD_CLR(File.fd, Set);
  };
  for (const pollfd &File : Files) {
    keep(Read, File, POLLIN | POLLHUP | POLLERR);
    keep(Write, File, POLLOUT | POLLERR);
    keep(Except, File, POLLPRI);
  }
  return Ready;
}
}
