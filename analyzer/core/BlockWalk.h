// The classes of earlier accesses on their way through one block. Private to OrderClasses.
#pragma once

#include "analyzer/core/OrderClasses.h"

namespace rdma {

/// Is the operation a poll of that completion queue?
bool isPoll(const Operation &Op, CompletionQueueId Queue);
/// Completions of a queue pair whose completion queue is not known may turn up anywhere.
bool mayShare(CompletionQueueId A, CompletionQueueId B);

class BlockWalk {
public:
  BlockWalk(OrderClasses &Gb, ClassVisitor *Visitor);

  void through(BlockId B);
  /// Facts behind the block that was passed last.
  OrderClasses::Known leave();
  /// Makes bundles of the classes at the end of the block that was passed last.
  void bundle(BlockId B);
  /// Facts about these.
  OrderClasses::Known bundled();
  bool before(ClassId C) { return isBefore(Classes[rootOf(C)]); }

private:
  struct Class {
    Fact What; ///< Pending counts from the beginning of the block
    unsigned Home;
    std::uint64_t Members = 0;
    ClassId MergedInto = None;
    bool Retired = false;
  };

  void enter(BlockId B);
  void pass(EventId E);
  void tell(EventId E);
  FactId factBehind(ClassId C);
  unsigned homeOf(OrderClasses::Member Of) const;
  std::uint64_t weightOf(OrderClasses::Member Of) const;
  bool isBefore(const Class &C) const;
  ClassId rootOf(ClassId C);
  unsigned homeOf(const EventRef &E) const;

  std::vector<unsigned> homesTouched(EventId E) const;
  void stepHome(unsigned Home, EventId E);
  bool step(Fact &F, EventId E) const;
  bool follow(Fact &F, const EventRef &E) const;
  bool hear(Fact &F, EventId E) const;
  static bool addId(Fact &F, WorkId Id, unsigned Most);
  bool post(Fact &F, EventId E) const;
  bool learns(const Fact &F, EventId E) const;
  Fact fresh(EventId E) const;
  unsigned pending(unsigned Pair, unsigned More) const;
  void countPolls(EventId E, int By);

  ClassId make(Fact F, unsigned Home);
  void mergeEqual(unsigned Home, std::vector<ClassId> Changed);
  void merge(ClassId From, ClassId Into);
  void retire(ClassId C);
  void track(EventId E, std::optional<Fact> Before);
  std::optional<Fact> takeOut(EventId E);

  OrderClasses &Gb;
  ClassVisitor *Visitor;
  BlockId Now = None;
  EventId Current = None;
  std::vector<Class> Classes;
  std::vector<std::vector<ClassId>> ByHome; ///< queue pair of the members, or behind the last one the CPU
  std::uint64_t Members = 0;
  std::vector<ClassId> ClassOf; ///< per member; None: not followed
  std::vector<OrderClasses::Member> Followed;
  std::vector<FactId> BundleFacts;            ///< at the end of the block, by number
  std::vector<unsigned> PollsSeen, PollsLeft; ///< per queue pair, of its queue, in the block
};

} // namespace rdma
