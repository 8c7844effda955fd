// The threads of a litmus program as threads of the system: the store buffers are the processor's own.
#pragma once

#include "test/device/Processor.h"

#include <atomic>
#include <barrier>
#include <thread>

namespace rdma::test {

class Workers {
public:
  explicit Workers(std::vector<Processor> &Threads);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  /// Lets all of them run at once, from their beginning. False when they cannot go on.
  bool run(Random &R);

private:
  void work(std::size_t Index);
  void runOne(Processor &T, Random &R);
  void begin(Processor &T, Random &R);

  std::vector<Processor> &Threads;
  std::vector<uint64_t> Seeds;
  std::barrier<> Turn;
  std::atomic<bool> Closing{false};
  std::atomic<std::size_t> Here{0}; ///< at the start
  std::atomic<std::size_t> Resting{0},
      GivingUp{0};               ///< blocked; for so long that it ends the run; or at their end
  std::atomic<uint64_t> Idle{0}; ///< ticks for which all have rested
  std::vector<std::jthread> Crew;
};

} // namespace rdma::test
