// What the program did of late: the weak schedule's clock goes by it.
#pragma once

#include <atomic>
#include <cstdint>

namespace rdma::device {

enum class Activity {
  Unknown, ///< not enough processor time since the last answer: it waits for a core, or has just begun
  Asleep,  ///< every thread but the caller waits for something
  Busy     ///< it had the processor
};

/// Called by one thread now and then.
class ActivityWatch {
public:
  Activity look();
  /// What was before the next look does not count. Called by any thread.
  void begin() { Began = true; }
  /// Whether that was so after the last look, whose answer is out of date then.
  bool isOver() const { return Began; }

  /// The program was busy and made no calls, or did make some. Who spins on memory once does it again: the
  /// next answers Busy come sooner for a while. Called by the thread that looks.
  void sawSpinning(bool Spinning) { Patience = Spinning ? 0 : Patience + 1; }
  bool isHasty() const { return Patience < Calm; }

private:
  static constexpr unsigned Calm = 1000;
  unsigned Patience = Calm; ///< answers since the program was seen to spin
  std::atomic<bool> Began{true};
  bool Slept = false;
  uint64_t Before = 0; ///< processor time of the other threads at the last answer, in nanoseconds
};

} // namespace rdma::device
