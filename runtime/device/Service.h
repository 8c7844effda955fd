// The one thread of the device. It notices that peers are gone, and moves requests on that wait (for the
// peer, for a posted receive, or for their turn in a weak schedule) while the program does something else. A
// strong schedule with nothing waiting leaves it asleep.
#pragma once

#include "runtime/device/Peer.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <vector>

namespace rdma::device {

struct QueuePair;
using Clock = std::chrono::steady_clock;

class Service {
public:
  static Service &get();

  /// Notices when this peer is gone, and moves on what waits for it.
  void watch(const std::shared_ptr<Peer> &P);

  /// Calls progress on the queue pair, after the pause that it asks for, until it says that nothing waits.
  void attend(QueuePair *Qp);
  /// Never touches the queue pair again after this returns.
  void forget(QueuePair *Qp);

  static void afterForkInChild();

private:
  void start();
  void run();
  void checkPeers();
  void progressQueues();
  void wake();

  std::mutex Lock;
  /// Who waits, and whether it asked again since its last turn.
  std::map<QueuePair *, bool> Waiting;
  std::chrono::nanoseconds Pause{0}; ///< until somebody wants a turn
  QueuePair *Current = nullptr;
  std::condition_variable CurrentDone;
  std::vector<std::weak_ptr<Peer>> Watched;
  int WakeUp = -1;
  bool Running = false;
};

} // namespace rdma::device
