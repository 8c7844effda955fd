// One run as an execution: its events, and po, rf, rb and mo between them.
#pragma once

#include "analyzer/explorer/Machine.h"

namespace rdma::explorer {

/// A read or write that took effect in the run.
struct RecordedEvent {
  ThreadIndex Thread;
  StatementId Statement;
  ObjectId Location = None;
  bool Write = false;
  std::int64_t Value = 0; ///< read or written
  unsigned Time = 0;      ///< when it took effect
};

enum class Edge : std::uint8_t { Po, Rf, Rb, Mo };

struct CycleStep {
  unsigned Event; ///< index into Recording::Events
  Edge ToNext;
};

/// A run, step by step, with what each step did to memory.
class Recording : public Recorder {
public:
  /// Events in the order of issue, which within a thread is program order. Those without a location never
  /// took effect.
  std::vector<RecordedEvent> Events;
  std::vector<unsigned> ReadsFrom;                ///< by event; None: the initial value, or a write
  std::vector<std::vector<unsigned>> MemoryOrder; ///< by location: its writes, in the order of mo
  /// Remote atomics that something fell into: the event that did, and the atomic's write.
  std::vector<std::pair<unsigned, unsigned>> Torn;

  /// Set before the first step: the memory to read values from.
  const State *Now = nullptr;
  unsigned Latest = None; ///< the event that took effect last

  explicit Recording(unsigned Locations) : MemoryOrder(Locations) {}
  std::optional<Edge> edge(unsigned From, unsigned To) const;
  /// A shortest cycle in po, rf, rb and mo; empty when there is none.
  std::vector<CycleStep> cycle() const;
  /// A shortest cycle of the kind that WatchedPair describes, from its first event on.
  std::vector<CycleStep> cycle(const WatchedPair &Through) const;

  Slot issued(const EventKey &E) override;
  void dropped(Slot) override {}
  void accessed(Slot S, unsigned Location, bool Write) override;
  void readBuffered(Slot Read, Slot Write, unsigned Location) override;
  void atomicRead(Slot Write, unsigned Location) override;

private:
  /// The way by which a search found To, from From on; Parent: by event, where it came from.
  std::vector<CycleStep> way(const std::vector<unsigned> &Parent, unsigned From, unsigned To) const;
  std::vector<CycleStep> cycleBack(unsigned First, unsigned Second) const;
  unsigned positionInMemoryOrder(unsigned Write) const;
  std::vector<std::pair<unsigned, unsigned>> OpenAtomics; ///< write event, location
  unsigned Clock = 0;
};

} // namespace rdma::explorer
