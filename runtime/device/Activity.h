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

  /// Whether the next answer Busy may come sooner: the program spins on memory, it seems. Called by the
  /// thread that looks.
  void hurry(bool Impatiently) { Impatient = Impatiently; }

private:
  bool Impatient = false;
  std::atomic<bool> Began{true};
  bool Slept = false;
  uint64_t Before = 0; ///< processor time of the other threads at the last answer, in nanoseconds
};

} // namespace rdma::device
