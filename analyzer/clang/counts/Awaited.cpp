// A queue pair that may be one of several, and a wait for it that names it as the post did: whichever it is,
// what was posted there is complete.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/counts/Counting.h"
#include "analyzer/clang/counts/PostNames.h"
#include "analyzer/clang/counts/SameValue.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

class Awaited {
public:
  Awaited(Inventory &Stock, const CountedThread &T) : Stock(Stock), P(Stock.P), T(T) {}

  void run() {
    for (const Instruction &I : instructions(T.F)) {
      auto *Wait = dyn_cast<CallBase>(&I);
      const ApiRow *Row = Wait && !isa<IntrinsicInst>(Wait) ? rowOf(*Wait) : nullptr;
      if (!Row || (Row->What != Api::WaitQp && Row->What != Api::FlushQp) || leftOut(*Wait))
        continue;
      for (const PostSite &Post : T.Posts)
        if (Post.Pairs.size() > 1 && waitsForAll(*Wait, Post))
          insertBehind(*Wait, Names.of(Post));
    }
  }

private:
  /// Between one request of the post and the next, the queue pair of the one is always waited for: then at
  /// each wait all that were posted are complete. What dominates the post, and with it the wait, is the same
  /// at both, for no way leads from it to the wait but through the post.
  bool waitsForAll(const CallBase &Wait, const PostSite &Post) const {
    if (!Post.Call->arg_size() || !T.Tree.dominates(Post.Call, &Wait))
      return false;
    if (Wait.getParent() != Post.Call->getParent()) {
      SmallPtrSet<BasicBlock *, 1> Without{const_cast<BasicBlock *>(Wait.getParent())};
      for (const BasicBlock *Next : successors(Post.Call->getParent()))
        if (!Without.contains(Next) &&
            isPotentiallyReachable(const_cast<BasicBlock *>(Next),
                                   const_cast<BasicBlock *>(Post.Call->getParent()), &Without, &T.Tree,
                                   &T.Loops))
          return false;
    }
    return sameValue(T, Post.Call->getArgOperand(0)->stripPointerCasts(),
                     Wait.getArgOperand(0)->stripPointerCasts());
  }

  void insertBehind(const CallBase &Wait, WorkId Id) {
    std::vector<Statement> &All = P.Threads[T.Index].Statements;
    for (StatementId S = 0; S < T.Sources.size(); ++S) {
      if (T.Sources[S] != &Wait || All[S].Op.Kind != OperationKind::Wait || All[S].Op.Counted)
        continue;
      Statement Known;
      Known.Op.Kind = OperationKind::Wait;
      Known.Op.Id = Id;
      Known.Op.Counted = true;
      Known.LoopDepth = All[S].LoopDepth;
      Known.Successors = std::move(All[S].Successors);
      All[S].Successors = {static_cast<StatementId>(All.size())};
      All.push_back(std::move(Known));
    }
  }

  Inventory &Stock;
  Program &P;
  const CountedThread &T;
  PostNames Names{Stock, T, ":w"};
};

} // namespace

void addAwaited(Inventory &Stock, const std::deque<CountedThread> &Threads) {
  for (const CountedThread &T : Threads)
    Awaited(Stock, T).run();
}

} // namespace rdma::clang_ir
