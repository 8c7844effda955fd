#include "test/device/Runs.h"

#include "rdma/emulated.h"

#include <algorithm>

namespace rdma::test {

namespace {

/// When nothing moves for so many ticks, nothing will.
constexpr uint64_t Patience = uint64_t(1) << 20;

/// The power of two below which the pauses of one thread in one run stay.
constexpr uint64_t LongestPace = 15;

} // namespace

Runs::Runs(const Program &P, const Devices &D, Model M)
    : P(P), Code(explorer::compile(P)), N(P, D), HasBuffers(M == Model::RdmaTso) {
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    Threads.emplace_back(Code, T, N, HasBuffers);
}

std::optional<explorer::Outcome> Runs::run(uint64_t Seed) {
  Random R(Seed);
  rdma_emulated_restart(R.seed());
  N.reset();
  for (Processor &T : Threads)
    T.start(R.seed());
  bool Ended = interleave(R);
  for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q)
    N.settle(Q);
  return Ended ? std::optional(N.values()) : std::nullopt;
}

/// Everybody who moves has a moment for it, and time passes in between: sometimes none, sometimes an age.
/// False when nobody can go on.
bool Runs::interleave(Random &R) {
  std::vector<Mover> Movers;
  for (Processor &T : Threads) {
    Movers.push_back({&T, false, R.below(LongestPace), 0});
    if (HasBuffers)
      Movers.push_back({&T, true, R.below(LongestPace), 0});
  }
  for (Mover &M : Movers)
    M.Due = pause(M, R);
  for (uint64_t Now = 0, LastMove = 0; !ended();) {
    Mover &M = *std::min_element(Movers.begin(), Movers.end(),
                                 [](const Mover &A, const Mover &B) { return A.Due < B.Due; });
    if (M.Due > Now)
      rdma_emulated_pass(M.Due - Now);
    Now = std::max(Now, M.Due);
    if (M.Drains ? M.Who->leave() : M.Who->step() == Attempt::Moved) {
      LastMove = Now;
      M.Due = Now + pause(M, R);
    } else {
      M.Due = Now + 1 + R.below(64 + Now - LastMove);
    }
    if (Now - LastMove > Patience)
      return false;
  }
  return true;
}

uint64_t Runs::pause(const Mover &M, Random &R) { return R.below(uint64_t(1) << R.below(1 + M.Pace)); }

bool Runs::ended() const {
  return std::all_of(Threads.begin(), Threads.end(), [](const Processor &T) { return T.ended(); });
}

} // namespace rdma::test
