// A run that is not sequentially consistent, with as few steps as possible that had a choice.
#pragma once

#include "analyzer/explorer/Explore.h"
#include "analyzer/explorer/Recording.h"

#include <memory>

namespace rdma::explorer {

/// Whose doing a step is.
enum class Actor : std::uint8_t { Cpu, StoreBuffer, Nic };

struct WitnessStep {
  Site Where; ///< the statement
  ThreadIndex Thread;
  std::string What; ///< in words: "the NIC reads x = 1 for the put"
  Actor By = Actor::Cpu;
  unsigned Event = None; ///< index into Recording::Events: what took effect in this step
};

struct Witness {
  std::vector<WitnessStep> Steps;
  std::shared_ptr<const Recording> Run;
  std::vector<CycleStep> Cycle; ///< empty: no cycle, but a remote atomic was torn apart (Run->Torn)
  Outcome Final;                ///< after the last step
};

/// Nothing when the program is robust, when the time is over, or for a run of more than 255 events.
std::optional<Witness> findWitness(const Program &P, Model M, const Limits &L = {});

/// The search for a run that breaks one pair.
struct PairSearch {
  /// Its Cycle is that of WatchedPair; its Steps end where the pair is seen broken.
  std::optional<Witness> Found;
  bool TimedOut = false;
  bool TooLarge = false; ///< some run was left off where more than 64 events were under way at once
  bool Bounded = false;  ///< ... where queues would have grown longer than Limits::Unroll allows
  std::uint64_t States = 0;
  bool complete() const { return !TimedOut && !TooLarge && !Bounded; }
};

/// With OneLate only runs are looked at in which every step of the NIC and of store buffers is taken as soon
/// as it can be, but for those of the pair's first statement: far fewer, and the plainest to read.
PairSearch findWitness(const Program &P, Model M, const WatchedPair &Pair, bool OneLate,
                       const Limits &L = {});

} // namespace rdma::explorer
