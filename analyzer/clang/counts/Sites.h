// What the counting needs of a thread that has been translated: where it posts and polls, and which
// statements its instructions have become.
#pragma once

#include "analyzer/clang/memory/MemoryReader.h"
#include "ir/Program.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <map>
#include <set>
#include <vector>

namespace rdma::clang_ir {

/// Queue pairs, or completion queues, in an array: what an element of one posts arrives at the element of
/// the other with the same index.
struct Family {
  CompletionQueueId Queue = None; ///< stands for all of them; None: not of an array
  /// Where the array has the pointer to the first, and how far apart they are.
  std::int64_t At = 0, Stride = 0;
  bool Through = false; ///< the array is one of pointers to the structs that have it
  bool operator==(const Family &) const = default;
};

/// The address without the constants that are added to it.
const llvm::Value *withoutFixedSteps(const llvm::Value *Address);

/// The address of the element, of a call that is given a queue pair or a queue of an array.
const llvm::Value *elementOf(const llvm::CallBase &Call, const Family &Of);

/// A call that posts requests.
struct PostSite {
  const llvm::CallBase *Call = nullptr;
  std::vector<QueuePairId> Pairs;                ///< to which of them is not known
  std::vector<const Origin *> Origins;           ///< the queue pairs as the program names them
  bool SignalsAll = false, MaySignalAll = false; ///< whatever the requests ask for
  Family Of = {};
  /// Per request of the chain: does it leave a completion, is it inline; absent: not constant.
  struct Request {
    std::optional<bool> Signaled, Inline;
    /// The flags and the wr_id that it has, where a value says them; else null.
    const llvm::Value *Flags = nullptr, *Id = nullptr;
  };
  std::vector<Request> Requests;
  bool Whole = true;                    ///< false: there may be more requests behind these
  std::optional<Pointer> WorkRequest;   ///< of one ibv_send_wr with one segment: where it is,
  std::optional<Pointer> Segment;       ///< where its ibv_sge is,
  const Origin *Buffer = nullptr;       ///< and the block that it reads or writes:
  const llvm::Value *Address = nullptr; ///< from there, if this is known,
  std::optional<std::int64_t> Length;   ///< so many bytes
};

/// A call that takes completions.
struct PollSite {
  const llvm::CallBase *Call = nullptr;
  CompletionQueueId Queue = None;
  const Origin *Cq = nullptr;
  const llvm::Value *Most = nullptr; ///< how many at most; null: one
  Family Of = {};
  bool Started = false; ///< ibv_start_poll and ibv_next_poll: one when the result is zero
  bool AtOnce = false;  ///< what it has taken stands where its own result is known, and is one at most
};

struct CountedThread {
  llvm::Function &F;
  Pointers &Where;
  const llvm::DominatorTree &Tree;
  const llvm::LoopInfo &Loops;
  ThreadIndex Index;
  NodeId Home;
  std::string Entry; ///< as the topology calls it
  bool Once = false; ///< in its process nothing has run it before
  /// Of a thread that another starts: the call, in that one's function.
  const llvm::CallBase *Start = nullptr;
  ObjectId Ended = None; ///< says that it is over,
  /// and calls that wait for the end of another, which only one thread says.
  std::map<const llvm::CallBase *, ObjectId> Joins = {};
  std::vector<PostSite> Posts = {};
  std::vector<PollSite> Polls = {};
  std::vector<const llvm::Instruction *> Sources = {}; ///< per statement; null: none
  std::multimap<const llvm::BasicBlock *, StatementId> Entries = {};
  /// Calls of locks that may do nothing: the process has one thread, or the thread may have the lock already.
  std::set<const llvm::CallBase *> MayDoNothing = {};
  std::map<const llvm::Instruction *, unsigned> Numbers = {}; ///< Statement::Source
  /// False: there are posts that no thread makes, as far as is known; nothing is to be counted.
  bool Counts = true;
};

} // namespace rdma::clang_ir
