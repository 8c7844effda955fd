// A thread as a transition system over integers: its own (values and cells) and ghosts beside them.
//
// Ghosts, per completion queue: how many completions are out (an upper bound), and how many were taken. And
// one request that is followed, any one: each execution of a post may begin to follow its request, unless one
// is followed already, so what is proved of the followed request holds of every request. Of it:
//   site    which post it came from
//   calls   how many calls of rdma_wait_all_but for its queue pair have come since
//   left    how many completions must still be taken from its queue until it is known to be complete
//   offset  where in its buffer it begins, and its length
//   then_x  what x was when it was posted
//
// And two numbers that are chosen before the thread runs and never change, so what is proved holds for each:
//   focus   an index: of the arrays of queues, the one element with this index is followed, and so is the
//           element of each array of integers
//   id      a wr_id: of the requests that carry it, how many completions are out at most (outId), and how
//           many of these must still be taken until the followed request is known to be complete (leftId)
//
// Completions of a queue pair come in the order of its requests, so a wr_id that a poll has shown is none of
// the followed request and of what came behind it, as long as that is out: where ids grow, it is below. No
// id posted is greater than topId, as a number without a sign, and none of those that may complete before the
// followed request than topBefore.
//
// The system is cut at the headers of the loops that matter; between two cuts there is no cycle, and a region
// is all that can happen between one cut and the next, as formulas. Integers are exact: values of w bits
// wrap.
#pragma once

#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/counts/Cells.h"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/IR/Operator.h>

#include <z3++.h>

namespace rdma::clang_ir {

/// Values of the cells and ghosts, by Layout.
using State = std::vector<z3::expr>;

/// What is known of a completion queue that the thread posts to or polls.
struct QueueFacts {
  CompletionQueueId Queue;
  bool Closed = false;   ///< only this thread posts what it reports
  bool Elements = false; ///< stands for the one with the index in focus
};

/// An array of ibv_wc that polls fill.
struct Batch {
  const Origin *Base;
  std::int64_t Low;
};

/// Of an array of integers, the element in focus.
struct Element {
  const Origin *Base;
  std::int64_t At, Stride, Size;
  bool ById; ///< its index is the wr_id in focus, or what that leads to in the array,
  std::optional<std::int64_t> Begin = {}; ///< which begins there
  /// Where its elements begin: what lies outside, in the same struct, say, is none of them.
  std::int64_t Low = Unbounded, High = 0;
  bool Zeroed = false; ///< all of them are zero in the beginning
};

/// A call behind which so many completions of the queue have been taken at least: by threads that are over.
struct TakenByEnd {
  const llvm::CallBase *Call;
  CompletionQueueId Queue;
  std::int64_t Least;
  std::vector<const llvm::CallBase *> IfZero; ///< where none of these is seen to have failed
};

class System {
public:
  /// Only: the values that matter, where others are to be forgotten.
  System(const CountedThread &T, Cells &Memory, std::vector<QueueFacts> Queues, const Program &Code,
         const std::set<const llvm::Instruction *> *Only = nullptr);

  /// A place to cut: the header of a loop in which something is counted. Null stands for the entry.
  using Cut = const llvm::BasicBlock *;
  const std::vector<Cut> &cuts() const { return Cuts; }
  bool isCut(const llvm::BasicBlock *Block) const;

  const CountedThread &T;
  Cells &Memory;
  std::vector<QueueFacts> Queues;
  z3::context Context;

  // The order of a State.
  unsigned cell(unsigned C) const { return C; }
  unsigned out(unsigned Q) const { return Memory.all().size() + Q; }
  unsigned taken(unsigned Q) const { return out(Queues.size()) + Q; }
  unsigned pending() const { return taken(Queues.size()); }
  unsigned left() const { return pending() + 1; }
  unsigned site() const { return pending() + 2; }
  unsigned offset() const { return pending() + 3; }
  unsigned length() const { return pending() + 4; }
  unsigned focus() const { return pending() + 5; }
  unsigned id() const { return pending() + 6; }
  unsigned outId() const { return pending() + 7; }
  unsigned leftId() const { return pending() + 8; }
  unsigned calls() const { return pending() + 9; }
  unsigned topId() const { return pending() + 10; }
  unsigned topBefore() const { return pending() + 11; }
  /// Of a batch: how many entries the last poll filled, and how many of those have the id in focus.
  unsigned filled(unsigned B) const { return pending() + 12 + 2 * B; }
  unsigned withId(unsigned B) const { return filled(B) + 1; }
  unsigned element(unsigned E) const { return filled(Batches.size()) + E; }
  unsigned then(unsigned N) const { return element(Elements.size()) + N; }
  bool isThen(unsigned G) const { return G >= then(0) && G < then(Snapped.size()); }
  /// Of a word that others store to: how many of their stores the thread is known to have seen; of one that
  /// they add to, what it has last seen of that.
  unsigned heard(unsigned C) const { return then(Snapped.size()) + Heard.at(C); }
  bool hears(unsigned C) const { return Heard.count(C) != 0; }
  unsigned width() const { return then(Snapped.size()) + Heard.size(); }
  /// What is remembered of the moment of the post: phis of cut headers, and cells (null, number).
  std::vector<std::pair<const llvm::PHINode *, unsigned>> Snapped;

  std::vector<TakenByEnd> Ends;
  std::vector<Batch> Batches;
  std::vector<Element> Elements;
  bool HasFamilies = false, HasIds = false;
  PointerSet Carried;     ///< by requests as their wr_id, numbers too
  bool LeavesOut = false; ///< some call waits for all but the last of its kind
  /// Phis that indices, or ids, are computed from.
  std::set<const llvm::PHINode *> Indices, Ids;
  /// Is the array that the call's queue pair, or queue, is loaded from one block?
  bool indexed(const llvm::CallBase &Call, const Family &Of) const;
  /// The batch that the poll fills, or -1.
  int batchOf(const PollSite &P) const;

  const PostSite *postAt(const llvm::Instruction &I) const;
  const PollSite *pollAt(const llvm::Instruction &I) const;
  /// rdma_wait and its like: is what this post has posted complete behind it, or all but the last of it?
  bool awaits(const llvm::Instruction &I, const PostSite &P) const;
  /// How many the call leaves out; null where it leaves none, or is none.
  const llvm::Value *leftOutAt(const llvm::Instruction &I) const {
    return AwaitedAt.count(&I) ? leftOut(*llvm::cast<llvm::CallBase>(&I)) : nullptr;
  }
  bool awaitsAny() const { return !AwaitedAt.empty(); }
  unsigned number(const PostSite &P) const { return &P - T.Posts.data(); }
  /// The queues at which the post's completions may arrive, by position in Queues.
  std::vector<unsigned> queuesOf(const PostSite &P) const;
  /// Is what is remembered there known behind the post?
  bool recalls(const PostSite &P, unsigned Snap) const {
    const llvm::PHINode *Phi = Snapped[Snap].first;
    return !Phi || T.Tree.dominates(Phi->getParent(), P.Call->getParent());
  }
  /// Posts of both are always requests of one and the same queue pair, in this order.
  bool samePair(const PostSite &A, const PostSite &B) const;
  /// Whatever queue pair it is, its completions arrive at one queue: its requests can be followed.
  bool follows(const PostSite &P) const;

  /// What is one variable of the program: what a loop makes of it and what the loops around it and within it
  /// start from.
  const llvm::EquivalenceClasses<const llvm::Value *> &variables() const { return Variables; }

  /// Where the block begins, if addresses in it are followed as numbers (Addresses.cpp).
  std::optional<std::int64_t> beginOf(const Origin &Base);
  /// Is a pointer with these places followed by where the blocks lie, of which it leads into one?
  bool isAmongBlocks(const PointerSet &Places);
  /// What the cell holds where the thread begins: a number, or an address.
  std::optional<std::int64_t> initialOf(const Cell &C);
  /// Does it lead nowhere but where it begins? A distance between two blocks says which one it comes to, but
  /// not here, where they lie at places of our own.
  bool staysInBlocks(const llvm::GEPOperator &Step);
  /// Does the pointer lead to variables of the program, so that it is not null?
  bool isVariable(const llvm::Value &V) const;
  /// May it hold an address of memory?
  bool isAddress(const llvm::Value &V) const;

  /// Is anything to be known of the value?
  bool matters(const llvm::Value &V) const {
    auto *I = llvm::dyn_cast<llvm::Instruction>(&V);
    return !Only || !I || Only->count(I);
  }
  /// Does it read a counter that other threads share, so that what they have taken is known?
  bool readsShared(const llvm::Instruction &I) const;
  bool setsElement(const llvm::Instruction &I) const;
  /// Is the cell used where something is counted, and known there?
  bool counts(unsigned Cell) const { return Counters.count(Cell); }

private:
  void findBatches();
  void findElements();
  void findIndices();
  void findCuts();
  void findCounters();
  void findVariables();
  bool leadsTo(const Origin &Block) const;
  bool stays(const Origin &Base);

  std::map<const Origin *, std::optional<std::int64_t>> Begins;
  unsigned Placed = 0;
  std::vector<Cut> Cuts;
  std::set<unsigned> Counters;
  std::map<unsigned, unsigned> Heard; ///< by the cell: which of them
  llvm::EquivalenceClasses<const llvm::Value *> Variables;
  const std::set<const llvm::Instruction *> *Only;
  std::map<const llvm::Instruction *, const PostSite *> PostOf;
  std::map<const llvm::Instruction *, const PollSite *> PollOf;
  std::map<const PostSite *, bool> Followed, OnePair;
  std::map<CompletionQueueId, unsigned> QueueIndex;
  const Program &Code;
  std::map<const llvm::Instruction *, QueuePairId> AwaitedAt; ///< calls that wait for one queue pair
  void findWaits();
};

} // namespace rdma::clang_ir
