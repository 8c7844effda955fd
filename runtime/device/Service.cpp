#include "runtime/device/Service.h"

#include "runtime/device/Inbound.h"

#include <csignal>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

namespace rdma::device {

static std::atomic<Service *> TheService{nullptr};

Service &Service::get() {
  // Never destroyed: the thread may still run when the process exits.
  static std::mutex Creation;
  if (Service *The = TheService.load(std::memory_order_acquire))
    return *The;
  std::lock_guard Guard(Creation);
  if (!TheService.load(std::memory_order_relaxed))
    TheService.store(new Service, std::memory_order_release);
  return *TheService.load(std::memory_order_relaxed);
}

void Service::afterForkInChild() { TheService = nullptr; }

bool Service::isRunning() {
  const Service *The = TheService.load(std::memory_order_acquire);
  return The && The->Running;
}

void Service::watch(const std::shared_ptr<Peer> &P) {
  std::lock_guard Guard(Lock);
  Watched.push_back(P);
  start();
  wake();
}

void Service::serve() {
  std::lock_guard Guard(Lock);
  Serves = true;
  start();
  wake();
}

void Service::attend(Attendant *Who) {
  std::lock_guard Guard(Lock);
  auto [Entry, New] = Waiting.insert_or_assign(Who, true);
  if (!New)
    return;
  start();
  wake();
}

void Service::forget(Attendant *Who) {
  std::unique_lock Guard(Lock);
  Waiting.erase(Who);
  CurrentDone.wait(Guard, [&] { return Current != Who; });
}

void Service::wake() {
  uint64_t One = 1;
  (void)!write(WakeUp, &One, sizeof One);
}

void Service::start() {
  if (Running)
    return;
  Running = true;
  WakeUp = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  // The program's signals are for the program's threads. Not the fault of this thread on a page that is just
  // being moved (device/WriteGuard.h).
  sigset_t Others, Before;
  sigfillset(&Others);
  sigdelset(&Others, SIGSEGV);
  pthread_sigmask(SIG_SETMASK, &Others, &Before);
  std::thread([this] { run(); }).detach();
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void Service::run() {
  prctl(PR_SET_TIMERSLACK, 1); // waits as long as it says
  for (;;) {
    checkPeers();
    progressQueues();
  }
}

/// Waits for a peer to be gone, for news, or until the waiting queues want their turn.
void Service::checkPeers() {
  std::vector<std::shared_ptr<Peer>> Peers;
  std::vector<pollfd> Polls;
  timespec Timeout;
  bool Forever;
  {
    std::lock_guard Guard(Lock);
    std::erase_if(Watched, [](const std::weak_ptr<Peer> &P) { return P.expired(); });
    for (const std::weak_ptr<Peer> &P : Watched)
      if (std::shared_ptr<Peer> Alive = P.lock())
        Peers.push_back(Alive);
    Forever = Waiting.empty();
    Timeout = {Pause.count() / 1000000000, Pause.count() % 1000000000};
  }
  Polls.push_back({WakeUp, POLLIN, 0});
  for (const std::shared_ptr<Peer> &P : Peers)
    Polls.push_back({P->alive() ? P->socket() : -1, POLLIN, 0});
  if (Serves)
    Node::forEach([&](Node &N) { N.appendCallers(Polls); });
  if (ppoll(Polls.data(), Polls.size(), Forever ? nullptr : &Timeout, nullptr) <= 0)
    return;
  uint64_t Count;
  if (Polls[0].revents)
    (void)!read(WakeUp, &Count, sizeof Count);
  if (Serves)
    Node::forEach([](Node &N) { N.admitCallers(); });
  for (size_t I = 1; I <= Peers.size(); ++I)
    if (Polls[I].revents) {
      Peers[I - 1]->markGone();
      // What it was acknowledged still arrives.
      Node::forEach([&](Node &N) { inbound::replay(N.own(), Peers[I - 1].get()); });
    }
}

void Service::progressQueues() {
  std::vector<Attendant *> Turn;
  {
    std::lock_guard Guard(Lock);
    for (auto &[Who, Asked] : Waiting)
      Turn.push_back(Who);
  }
  std::chrono::nanoseconds Next = std::chrono::milliseconds(20);
  for (Attendant *Who : Turn) {
    {
      std::lock_guard Guard(Lock);
      auto Entry = Waiting.find(Who);
      if (Entry == Waiting.end())
        continue;
      Entry->second = false;
      Current = Who;
    }
    std::optional<std::chrono::nanoseconds> Wanted = Who->progress();
    if (Wanted)
      Next = std::min(Next, *Wanted);
    std::lock_guard Guard(Lock);
    Current = nullptr;
    if (auto Entry = Waiting.find(Who); !Wanted && Entry != Waiting.end() && !Entry->second)
      Waiting.erase(Entry);
    CurrentDone.notify_all();
  }
  std::lock_guard Guard(Lock);
  Pause = Next;
}

} // namespace rdma::device
