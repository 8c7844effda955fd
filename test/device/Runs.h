// Runs of a litmus program on the device, each from a seed.
#pragma once

#include "analyzer/explorer/Explore.h"
#include "test/device/Processor.h"
#include "test/device/Workers.h"

#include <optional>

namespace rdma::test {

/// What the threads run on.
enum class Cpus {
  Plain,    ///< one thread of the system that interleaves them
  Buffered, ///< the same, with store buffers
  Real      ///< a thread of the system for each
};

class Runs {
public:
  Runs(const Program &P, const Devices &D, Cpus Kind);

  /// The final values; nothing when the run does not end (an assumption that fails, a poll of nothing).
  std::optional<explorer::Outcome> run(uint64_t Seed);

private:
  bool interleave(Random &R);
  bool ended() const;

  /// A thread, or its store buffer.
  struct Mover {
    Processor *Who;
    bool Leaves;       ///< the buffer
    uint64_t Slowness; ///< in eighths: how often it makes a long pause
    uint64_t Due;      ///< the tick of its next move
  };
  static uint64_t pause(const Mover &M, Random &R);

  const Program &P;
  explorer::CompiledProgram Code;
  Nodes N;
  std::vector<Processor> Threads;
  std::unique_ptr<Workers> Crew; ///< for Cpus::Real
};

} // namespace rdma::test
