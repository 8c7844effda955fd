// What the conditions share: each thread's event graph, its public events, and the pairs that gb leaves open.
#pragma once

#include "analyzer/core/Locations.h"
#include "analyzer/core/OpenPairs.h"
#include "analyzer/core/Violations.h"

#include <vector>

namespace rdma {

class Analysis {
public:
  /// Like: of a program that differs in the statements of some threads only, and in the queues that their
  /// requests complete in. What is known of the others is not looked for again.
  Analysis(const Program &P, Model M, const Analysis *Like = nullptr);

  const Program &Code;
  const Model M;
  std::vector<EventGraph> Threads;
  std::shared_ptr<const EventNumbers> Numbers;
  Locations Where;
  /// Per thread and event: another thread (or another copy of this one) accesses the same location.
  std::vector<std::vector<bool>> Public;
  /// Per thread and node: a number that nodes share which the communication of the other threads connects.
  std::vector<std::vector<unsigned>> Component;
  /// Per thread and event: of its node, if the event is public; else None. Accesses of one group may be seen
  /// in an order.
  std::vector<std::vector<unsigned>> Group;
  /// Of the pairs that gb of the model leaves open: public accesses whose nodes the other threads connect,
  /// and a remote read with a later remote access of its queue pair.
  std::vector<std::vector<OpenPair>> Open;
  /// Of those that gb of RDMA^SC leaves open: conflicts.
  std::vector<std::vector<OpenPair>> Races;
  /// Pairs of accesses of a thread, the later after the earlier on some path, that gb of the model orders.
  std::uint64_t Ordered = 0;

  const EventRef &ref(ThreadIndex T, EventId E) const { return Threads[T].Events[E].Ref; }
  NodeId nodeOf(ThreadIndex T, EventId E) const { return Code.Objects[ref(T, E).Location.Target].Home; }
  /// May the order of two public accesses matter to others?
  bool connected(ThreadIndex T, const OpenPair &Pair) const;
  Violations::Pair numbered(ThreadIndex T, const OpenPair &Pair, unsigned Way = None) const {
    return {Numbers->of(T, Pair.Earlier), Numbers->of(T, Pair.Later), Way};
  }

private:
  /// Without a topology: writes over a queue pair to memory that only its other users look at, over the same
  /// one. What is posted there later arrives later.
  std::vector<std::vector<bool>> Own;
  void markPublic();
  void markOwn();
  void group(ThreadIndex T);
  void findPairs(ThreadIndex T);
  bool takesPairs(ThreadIndex T, const Analysis &Like);
};

} // namespace rdma
