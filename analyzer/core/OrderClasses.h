// Guaranteed-before: the part of program order that no execution reverses (ROBUST Def. 6, TSO: Def. 12).
//
// gb is the closure of oppo, of [nlR];po_imm;[nrW];pf, of [nlW];pf, and of what a remote fence adds behind a
// delivery. On a graph it must hold on every path, so it is a forward must-analysis: for each earlier access,
// which kinds of event, on which queue pair, are known to come after it, and how many completions at most are
// still to be polled until it is known to be past (Facts.h). One pass carries all earlier accesses: those
// about which the same is known at a point are a class, and classes become equal but never different from
// one event to the next. An access before everything that can still come is dropped. On straight-line
// programs the answer equals the definition.
//
// Where paths part, the classes at that point are bundles: on every path a bundle is as one access, and where
// the paths meet it is compared as one. So a block costs as much as there are classes, not accesses. The
// bundles of a block (its base) come from where no loop repeats them; accesses inside a loop are told apart
// until it ends.
#pragma once

#include "analyzer/core/Blocks.h"
#include "analyzer/core/Facts.h"

#include <map>
#include <optional>

namespace rdma {

using ClassId = unsigned;

/// Accesses that have come and are not before everything, by class, while events pass one after another.
/// Numbers of classes hold within a block. Blocks come one inside the other: a block begins with what was
/// there when its base ended.
class ClassVisitor {
public:
  virtual ~ClassVisitor() = default;
  virtual void enterBlock() {}
  /// Bundle Number of the base is in the class, perhaps with others. Those of which nothing is said have not
  /// come this way, or are before everything.
  virtual void brings(unsigned /*Number*/, ClassId) {}
  /// The class is bundle Number of this block from here on.
  virtual void bundles(unsigned /*Number*/, ClassId) {}
  /// Blocks of which this is the base have been told.
  virtual void leaveBlock() {}
  /// The access is a member from here on, of no other class any more.
  virtual void joins(EventId, ClassId) {}
  virtual void merges(ClassId /*From*/, ClassId /*Into*/) {}
  /// Everything that can come from here on comes after its members.
  virtual void retires(ClassId) {}
  /// An access, before it takes effect.
  struct Now {
    EventId Event;
    /// How many accesses that may have come are not guaranteed before it.
    std::uint64_t Unordered;
  };
  virtual void at(const Now &) {}
};

class OrderClasses {
public:
  /// Fences and polls take part as the accesses do if WithFences is set; only tests ask for them.
  OrderClasses(const Program &Code, const EventGraph &G, Model M, bool WithFences = false);

  /// Walks over the thread, each block once.
  void visit(ClassVisitor &V);
  /// While `at` is called: are the members of the class guaranteed before the event?
  bool before(ClassId C) const;

  const std::vector<Block> &blocks() const { return Blocks; }

private:
  friend class BlockWalk;
  /// An access, or behind all events a bundle of the base.
  using Member = unsigned;
  using Known = std::vector<std::pair<Member, FactId>>; ///< by member
  struct Bundle {
    std::vector<Member> Members; ///< as the base of the block sees them
    std::uint64_t Weight;        ///< so many accesses
    unsigned Home;
  };
  Known seenFrom(BlockId Base, BlockId From, const Known &Out) const;
  void solveOne(BlockId B, class BlockWalk &Pass);
  void solveComponent(const std::vector<BlockId> &Members, class BlockWalk &Pass);
  void numberPairs();
  void boundOutstanding();
  void boundPolls();
  void solve();
  bool flowInto(BlockId To, const Known &Out, bool Back);
  FactId widened(BlockId To, Member Of, FactId Before, FactId Met);

  const Program &Code;
  const EventGraph &G;
  const bool WithFences;
  std::vector<Block> Blocks;
  std::vector<BlockId> Base;                ///< per block
  std::vector<std::vector<Bundle>> Bundles; ///< per block, at its end; none in loops
  std::vector<OrderRow> Rows;               ///< by kind
  std::vector<QueuePairId> Pairs;           ///< the thread's queue pairs
  std::vector<unsigned> PairIndex;          ///< their position in Pairs
  std::vector<bool> Polled;                 ///< per event: it posts a request whose completion is for polls
  std::vector<unsigned> Asked;              ///< per work identifier (requestsAsked)
  std::vector<unsigned> Outstanding;        ///< per event that is polled: bound for its queue before it
  std::vector<std::vector<unsigned>>
      PollsBehind;                      ///< per block, pair: most polls of its queue behind the block
  std::vector<std::optional<Known>> In; ///< per block
  std::map<std::pair<BlockId, Member>, unsigned> Growths; ///< how often a count grew around a loop
  FactTable Facts;
  class BlockWalk *Walk = nullptr; ///< while `visit` runs
};

} // namespace rdma
