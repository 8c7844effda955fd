// The consistent executions of one pre-execution (a trace for each thread).
#pragma once

#include "analyzer/explorer/Declarative.h"
#include "analyzer/explorer/Relations.h"
#include "analyzer/explorer/ThreadTraces.h"

#include <functional>

namespace rdma::explorer {

/// The threads' traces side by side, events numbered through.
struct PreExecution {
  std::vector<Event> Events;
  std::vector<ThreadIndex> Thread; ///< by event
  std::vector<Requirement> Requirements;
  /// Throws Unsupported for more than 64 events.
  void append(const ThreadTrace &T, ThreadIndex Index);
};

/// An execution up to what does not matter for outcomes and sequential consistency.
struct Execution {
  const PreExecution &Graph;
  std::vector<unsigned> ReadsFrom; ///< by event; None: the initial value, or not a read
  Relation Mo;                     ///< between writes of one location
  Outcome Final;
  /// po, rf, rb and mo have no cycle, and no remote atomic is torn apart.
  bool isSequentiallyConsistent() const;
};

class ExecutionSearch {
public:
  ExecutionSearch(const Program &P, const PreExecution &G, Model M);

  /// Wanted(E) is asked for each choice of rf and mo that may be consistent: shall it be completed? Found(E)
  /// is called when it can be; false stops the search.
  void run(const std::function<bool(const Execution &)> &Wanted,
           const std::function<bool(const Execution &)> &Found);
  std::uint64_t choices() const { return Choices; }
  /// ib and ob.
  struct Orders {
    Relation Issued, Observed;
  };
  /// What the threads give without each other: ippo, oppo, pf, and each choice of nfo and of reads from
  /// before a write in the thread's own store buffer (rb_b). The rest of ib and ob is rf, rb, mo and rao,
  /// whose part of ib ends in instantaneous events.
  std::vector<Orders> fromProgramOrder() const;
  /// Checked now and then; true stops the search.
  std::function<bool()> OutOfTime;

private:
  /// A pair of events whose order is to be chosen.
  struct Pair {
    enum class Kind : std::uint8_t { Mo, Rao, Nfo } What;
    unsigned A, B;
  };
  void programOrder();
  void collectPairs();
  bool close(Orders &O) const;
  bool chooseReads(unsigned Event, const Orders &O);
  bool chooseOrders(unsigned Index, const Orders &O);
  bool completes(unsigned Index, const Orders &O);
  void order(Orders &O, const Pair &P, bool Forward);
  bool computeValues();
  std::int64_t valueOf(unsigned Write);
  std::int64_t sum(const Sum &S);
  void computeFinal();
  bool isInstantaneous(unsigned E) const;
  bool isBuffered(unsigned Write, unsigned Read) const;

  const Program &P;
  const PreExecution &G;
  Model M;
  unsigned Count;
  Orders Base;
  std::uint64_t Instantaneous = 0;
  std::vector<Pair> MoPairs, OtherPairs;
  Execution E;
  std::vector<std::int64_t> Values; ///< written, by event
  const std::function<bool(const Execution &)> *Wanted = nullptr, *Found = nullptr;
  std::uint64_t Choices = 0;
};

} // namespace rdma::explorer
