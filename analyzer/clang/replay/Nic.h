// Requests that are out while a thread is replayed, and how their completions come: as late as they may.
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/replay/Heap.h"

#include <deque>
#include <functional>

namespace rdma::clang_ir {

struct Request {
  const llvm::CallBase *Post = nullptr;
  BlockId Pair = 0;                       ///< the queue pair, as the thread has it
  std::optional<CompletionQueueId> Queue; ///< where it reports, as far as is known: the extraction's name,
  std::optional<BlockId> Cq;              ///< and the thread's
  struct Bytes {
    BlockId Block;
    std::int64_t Begin, End;
  };
  std::vector<Bytes> Uses = {}; ///< until it is complete
  bool Writes = false, Signaled = true;
  bool Receives = false; ///< it waits for what a peer sends
  bool Fenced = false;   ///< it waits for READs and atomics before it
  bool Done = false;     ///< complete, and its completion may not have been taken: a receive's stays there
  Datum Id = {}, Opcode = {}, Length = {}; ///< what its completion says
  std::uint64_t Number = 0;                ///< of all that were posted
};

class Nic {
public:
  /// Patience: how often a poll is asked in vain.
  explicit Nic(unsigned Patience) : Patience(Patience) {}
  /// All that has been posted and whose completion has not been taken.
  const std::deque<Request> &posted() const { return Out; }
  /// Is it at work? A receive is from the first on that is known to have completed: peers send now.
  bool isOut(const Request &R) const { return !R.Done && (!R.Receives || Hears); }
  void post(Request R);
  /// On one queue pair a request starts behind what was posted before it, but waits for no READ and no
  /// atomic, unless it is fenced, or a fenced one came between them.
  bool waitsFor(const Request &New, const Request &Before) const;
  /// Everything may be complete from here on.
  void forget();
  /// Is the queue pair of a request another one than that which is waited for, for certain?
  using IsOther = llvm::function_ref<bool(const Request &)>;
  /// rdma_wait, and rdma_wait_all_but, which is a call to count and may leave the last calls' requests out.
  /// What is complete may still be polled for.
  void await(BlockId Pair, IsOther Other) { complete(Pair, Posted, Other); }
  void awaitAllBut(BlockId Pair, std::uint64_t Calls, IsOther Other);
  /// The queue pair is gone, and with it what was posted to it.
  void end(BlockId Pair) {
    Called.erase(Pair);
    Changes += std::erase_if(Out, [&](const Request &R) { return R.Pair == Pair; });
  }
  /// What was sent on the queue pair may be complete from here on. Receives are posted before it is ready.
  void stop(BlockId Pair) {
    Changes += std::erase_if(Out, [&](const Request &R) { return R.Pair == Pair && !R.Receives; });
  }
  /// Grows whenever what is out becomes other requests.
  std::uint64_t changes() const { return Changes; }
  /// A poll of a queue: the request that it finds complete, if it finds one.
  std::optional<Request> poll(const llvm::CallBase &Call, std::optional<CompletionQueueId> Queue,
                              std::optional<BlockId> Cq);

private:
  static constexpr std::size_t Depth = 1024; ///< no more are out: the oldest counts as complete
  const Request *findComplete(bool Receives, std::optional<CompletionQueueId> Queue,
                              std::optional<BlockId> Cq) const;

  void complete(BlockId Pair, std::uint64_t Before, IsOther Other);

  const unsigned Patience;
  bool Hears = false;
  std::uint64_t Changes = 0, Posted = 0;
  std::map<BlockId, std::vector<std::uint64_t>> Called; ///< how many were posted when it was waited for
  std::deque<Request> Out;                              ///< in the order of their posts
  std::map<const llvm::CallBase *, unsigned> Asked;     ///< in vain, since anything was posted or found
};

} // namespace rdma::clang_ir
