#include "analyzer/clang/counts/CountedQueues.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/IR/InstIterator.h>

#include <set>

namespace rdma::clang_ir {

using namespace llvm;

std::vector<QueueFacts> queuesOf(const Inventory &Stock, const CountedThread &T) {
  const Program &P = Stock.P;
  std::set<CompletionQueueId> Some;
  for (const PostSite &Post : T.Posts)
    for (QueuePairId Pair : Post.Pairs)
      if (P.QueuePairs[Pair].Queue != None && Post.Of.Queue == None)
        Some.insert(P.QueuePairs[Pair].Queue);
  std::vector<QueueFacts> Facts;
  for (CompletionQueueId Q : Some)
    Facts.push_back({Q, Stock.onlyPoster(Q)});
  Some.clear();
  // Another thread may know an element by a name of its own.
  bool Alone = std::all_of(P.QueuePairs.begin(), P.QueuePairs.end(), [&](const QueuePair &Q) {
    return Q.Owner == T.Index || P.Threads[Q.Owner].Home != T.Home || Stock.isOutside(Q.Target);
  });
  for (const PostSite &Post : T.Posts)
    if (Post.Of.Queue != None && Some.insert(Post.Of.Queue).second)
      Facts.push_back({Post.Of.Queue, Stock.onlyPoster(Post.Of.Queue) && Alone, true});
  return Facts;
}

std::vector<CountedThread> partsOf(const Inventory &Stock, const CountedThread &T) {
  std::vector<CountedThread> Parts;
  std::vector<QueueFacts> Queues = queuesOf(Stock, T);
  for (const QueueFacts &Q : Queues) {
    if (Queues.size() < 2 || !Q.Closed)
      continue;
    CountedThread &Part = Parts.emplace_back(T);
    std::erase_if(Part.Posts, [&](const PostSite &Post) {
      return Post.Of.Queue != None ? Post.Of.Queue != Q.Queue : none_of(Post.Pairs, [&](QueuePairId Pair) {
        CompletionQueueId Queue = Stock.P.QueuePairs[Pair].Queue;
        return Queue == None || Queue == Q.Queue;
      });
    });
    std::erase_if(Part.Polls,
                  [&](const PollSite &Poll) { return Poll.Queue != Q.Queue && Poll.Of.Queue != Q.Queue; });
  }
  return Parts;
}

bool postsUnseen(const CountedThread &T) {
  for (const Instruction &I : instructions(T.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    auto *Callee = Call ? dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts()) : nullptr;
    const ApiRow *Row = Callee ? apiOf(Callee->getName()) : nullptr;
    if (Row && posts(Row->What) && std::none_of(T.Posts.begin(), T.Posts.end(), [&](const PostSite &P) {
          return P.Call == Call && !P.Pairs.empty();
        }))
      return true;
  }
  return false;
}

} // namespace rdma::clang_ir
