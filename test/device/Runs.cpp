#include "test/device/Runs.h"

#include "rdma/emulated.h"

#include <algorithm>

namespace rdma::test {

namespace {

/// When nothing moves for so many ticks, nothing will.
constexpr uint64_t Patience = uint64_t(1) << 20;

/// The power of two below which a pause stays, but the first of a thread.
constexpr uint64_t LongestPause = 15;

constexpr uint64_t Never = ~uint64_t(0);

} // namespace

Runs::Runs(const Program &P, const Devices &D, Cpus Kind) : P(P), Code(explorer::compile(P)), N(P, D) {
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    Threads.emplace_back(Code, T, N, Kind == Cpus::Buffered);
  if (Kind == Cpus::Real)
    Crew = std::make_unique<Workers>(Threads);
}

std::optional<explorer::Outcome> Runs::run(uint64_t Seed) {
  Random R(Seed);
  rdma_emulated_restart(R.seed());
  N.reset();
  for (Processor &T : Threads)
    T.start(R.seed());
  bool Ended = Crew ? Crew->run(R) : interleave(R);
  for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q)
    N.settle(Q);
  return Ended ? std::optional(N.values()) : std::nullopt;
}

/// Everybody who moves has a moment for it, and time passes in between: sometimes none, sometimes an age.
/// False when nobody can go on.
bool Runs::interleave(Random &R) {
  std::vector<Mover> Movers;
  for (Processor &T : Threads) {
    Movers.push_back({&T, false, R.below(6), R.below(uint64_t(1) << (6 + R.below(LongestPause - 5)))});
    Movers.push_back({&T, true, R.oneIn(2) ? R.below(8) : 0, Never});
  }
  for (uint64_t Now = 0, LastMove = 0; !ended();) {
    auto Next = std::min_element(Movers.begin(), Movers.end(),
                                 [](const Mover &A, const Mover &B) { return A.Due < B.Due; });
    if (Next->Due > Now)
      rdma_emulated_pass(Next->Due - Now);
    Now = std::max(Now, Next->Due);
    if (Next->Leaves ? Next->Who->leave() : Next->Who->step() == Attempt::Moved) {
      LastMove = Now;
      Next->Due = Now + pause(*Next, R);
    } else {
      Next->Due = Next->Leaves ? Never : Now + 1 + (R.oneIn(2) ? R.below(16) : R.below(64 + Now - LastMove));
    }
    // What a thread puts into its buffer leaves it some time.
    if (!Next->Leaves && Next[1].Due == Never && Next->Who->buffers())
      Next[1].Due = Now + pause(Next[1], R);
    if (Now - LastMove > Patience)
      return false;
  }
  return true;
}

uint64_t Runs::pause(const Mover &M, Random &R) {
  return R.below(8) < M.Slowness ? R.below(uint64_t(1) << R.below(LongestPause)) : R.below(4);
}

bool Runs::ended() const {
  return std::all_of(Threads.begin(), Threads.end(), [](const Processor &T) { return T.ended(); });
}

} // namespace rdma::test
