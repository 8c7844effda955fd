// A queue pair that may be one of several, and a wait for it that names it as the post did: whichever it is,
// what was posted there is complete.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/counts/Counting.h"
#include "analyzer/clang/memory/SymbolicAddress.h"

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
      if (!Row || (Row->What != Api::WaitQp && Row->What != Api::FlushQp))
        continue;
      for (const PostSite &Post : T.Posts)
        if (Post.Pairs.size() > 1 && waitsForAll(*Wait, Post))
          insertBehind(*Wait, idOf(Post));
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
    return sameValue(Post.Call->getArgOperand(0)->stripPointerCasts(),
                     Wait.getArgOperand(0)->stripPointerCasts());
  }

  /// One value, or found twice at one place that nothing changes in between.
  bool sameValue(const Value *A, const Value *B) const {
    if (A == B)
      return true;
    auto *First = dyn_cast<LoadInst>(A), *Second = dyn_cast<LoadInst>(B);
    if (!First || !Second || First->getType() != Second->getType())
      return false;
    const DataLayout &Layout = T.F.getParent()->getDataLayout();
    auto Apart = distance(symbolicAddress(First->getPointerOperand(), Layout),
                          symbolicAddress(Second->getPointerOperand(), Layout));
    return Apart && *Apart == 0 && !changes(*First, *Second);
  }

  bool changes(const LoadInst &First, const LoadInst &Second) const {
    PointerSet Places = T.Where.resolve(First.getPointerOperand());
    for (const Pointer &At : Places)
      if (!At.Base->named() || T.Where.writtenElsewhere(At, 8))
        return true;
    auto isBetween = [&](const Instruction &I) {
      auto leads = [&](const Instruction &From, const Instruction &To) {
        return isPotentiallyReachable(&From, &I, nullptr, &T.Tree, &T.Loops) &&
               isPotentiallyReachable(&I, &To, nullptr, &T.Tree, &T.Loops);
      };
      return leads(First, Second) || leads(Second, First);
    };
    return any_of(instructions(T.F),
                  [&](const Instruction &I) { return mayWrite(I, Places) && isBetween(I); });
  }

  bool mayWrite(const Instruction &I, const PointerSet &Places) const {
    auto meets = [&](const Value *To, std::int64_t Size) {
      return any_of(T.Where.resolve(To), [&](const Pointer &Q) {
        return !Q.Base->named() || any_of(Places, [&](const Pointer &At) {
          return At.Base == Q.Base && mayMeet(At, 8, Q, Size);
        });
      });
    };
    if (auto *Store = dyn_cast<StoreInst>(&I))
      return meets(Store->getPointerOperand(),
                   T.F.getParent()->getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType()));
    if (!I.mayWriteToMemory())
      return false;
    if (auto *Call = dyn_cast<CallBase>(&I)) {
      if (auto *Known = dyn_cast<IntrinsicInst>(Call); Known && Known->isAssumeLikeIntrinsic())
        return false;
      const ApiRow *Row = isa<IntrinsicInst>(Call) ? nullptr : rowOf(*Call);
      if (!Row && !isa<AnyMemIntrinsic>(Call))
        return true;
      return any_of(Call->args(), [&](const Use &U) {
        return U->getType()->isPointerTy() && !isLibraryObject(*Call, U) && meets(U, Unbounded);
      });
    }
    return any_of(I.operands(),
                  [&](const Use &U) { return U->getType()->isPointerTy() && meets(U, Unbounded); });
  }

  /// What a call of verbs works on is the library's own.
  bool isLibraryObject(const CallBase &Call, const Use &U) const {
    return U.getOperandNo() == 0 && Call.getCalledFunction() &&
           (Call.getCalledFunction()->getName().starts_with("ibv_") ||
            Call.getCalledFunction()->getName().starts_with("rdma_"));
  }

  WorkId idOf(const PostSite &Post) {
    auto [Known, New] = Ids.try_emplace(&Post, None);
    if (New) {
      Known->second =
          Stock.workId(T.Entry + ":w" + std::to_string(T.Index) + "_" + std::to_string(Ids.size()));
      std::vector<Statement> &All = P.Threads[T.Index].Statements;
      for (StatementId S = 0; S < T.Sources.size(); ++S)
        if (T.Sources[S] == Post.Call && isRequest(All[S].Op.Kind))
          All[S].Op.Id = Known->second, All[S].Op.Counted = true;
    }
    return Known->second;
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
  std::map<const PostSite *, WorkId> Ids;
};

} // namespace

void addAwaited(Inventory &Stock, const std::deque<CountedThread> &Threads) {
  for (const CountedThread &T : Threads)
    Awaited(Stock, T).run();
}

} // namespace rdma::clang_ir
