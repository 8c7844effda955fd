// The one thread of the device. It notices that peers are gone, and moves requests on that wait (for the
// peer, for a posted receive, or for their turn in a weak schedule) while the program does something else. A
// strong schedule with nothing waiting leaves it asleep.
#pragma once

#include "runtime/device/Peer.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <optional>
#include <vector>

namespace rdma::device {

using Clock = std::chrono::steady_clock;

/// Somebody whose work goes on while the program does something else.
class Attendant {
public:
  /// Tries what waits. How long until it is worth trying again, nothing when nothing waits.
  virtual std::optional<std::chrono::nanoseconds> progress() = 0;

protected:
  ~Attendant() = default;
};

class Service {
public:
  static Service &get();

  /// Notices when this peer is gone, and moves on what waits for it.
  void watch(const std::shared_ptr<Peer> &P);

  /// Answers peers of other PID namespaces from now on (device/Descriptors.h).
  void serve();

  /// Calls its progress, after the pause that it asks for, until it says that nothing waits.
  void attend(Attendant *Who);
  /// Never touches it again after this returns.
  void forget(Attendant *Who);

  static void afterForkInChild();
  /// Whether its thread has been started in this process.
  static bool isRunning();

private:
  void start();
  void run();
  void checkPeers();
  void progressQueues();
  void wake();

  std::mutex Lock;
  /// Who waits, and whether it asked again since its last turn.
  std::map<Attendant *, bool> Waiting;
  std::chrono::nanoseconds Pause{0}; ///< until somebody wants a turn
  Attendant *Current = nullptr;
  std::condition_variable CurrentDone;
  std::vector<std::weak_ptr<Peer>> Watched;
  int WakeUp = -1;
  std::atomic<bool> Running{false}, Serves{false};
};

} // namespace rdma::device
