// Requests that end with their queue pair: behind ibv_destroy_qp of the one that they were posted to nothing
// of them is under way, so what they used may be changed and given back. Whether a READ has delivered before
// that nobody knows, so that its result is not there for certain.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/counts/Counting.h"
#include "analyzer/clang/counts/PostNames.h"
#include "analyzer/clang/counts/SameValue.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

using Calls = SmallPtrSet<const Instruction *, 4>;

/// Where ways lead from a post that pass none of the calls that end its queue pair. That a queue pair which
/// was posted to is null is no way.
class WaysAround {
public:
  WaysAround(const CountedThread &T, const PostSite &Post, const Calls &Ends)
      : T(T), Post(*Post.Call), Ends(Ends) {
    Tail = stopIn(*this->Post.getParent(), &this->Post);
    if (!Tail)
      leave(*this->Post.getParent());
    while (!Work.empty()) {
      const BasicBlock *Block = Work.pop_back_val();
      const Instruction *Stop = stopIn(*Block, nullptr);
      Entered[Block] = Stop;
      if (!Stop)
        leave(*Block);
    }
  }

  /// Does one come to the instruction, which ends nothing?
  bool leadTo(const Instruction &I) const {
    auto before = [&](const Instruction *Stop) { return !Stop || I.comesBefore(Stop); };
    if (auto At = Entered.find(I.getParent()); At != Entered.end() && before(At->second))
      return true;
    return I.getParent() == Post.getParent() && Post.comesBefore(&I) && before(Tail);
  }

private:
  /// The first call that ends the queue pair in the block, behind After if that is given.
  const Instruction *stopIn(const BasicBlock &Block, const Instruction *After) const {
    const Instruction *First = nullptr;
    for (const Instruction *End : Ends)
      if (End->getParent() == &Block && (!After || After->comesBefore(End)) &&
          (!First || End->comesBefore(First)))
        First = End;
    return First;
  }

  void leave(const BasicBlock &Block) {
    const BasicBlock *Never = onlyIfNull(Block);
    for (const BasicBlock *Next : successors(&Block))
      if (Next != Never && Seen.insert(Next).second)
        Work.push_back(Next);
  }

  const BasicBlock *onlyIfNull(const BasicBlock &Block) const {
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Test || !Test->isEquality() || !isa<ConstantPointerNull>(Test->getOperand(1)) ||
        Branch->getSuccessor(0) == Branch->getSuccessor(1) ||
        !sameValue(T, Post.getArgOperand(0)->stripPointerCasts(), Test->getOperand(0)->stripPointerCasts()))
      return nullptr;
    return Branch->getSuccessor(Test->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1);
  }

  const CountedThread &T;
  const CallBase &Post;
  const Calls &Ends;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work;
  std::map<const BasicBlock *, const Instruction *> Entered; ///< and where the ways through it end
  const Instruction *Tail = nullptr;                         ///< the same behind the post, in its block
};

class Ended {
public:
  Ended(Inventory &Stock, const CountedThread &T) : Stock(Stock), P(Stock.P), T(T) {}

  void run() {
    std::vector<const CallBase *> All;
    for (const Instruction &I : instructions(T.F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const ApiRow *Row = Call && !isa<IntrinsicInst>(Call) ? rowOf(*Call) : nullptr;
      if (Row && Row->Name == "ibv_destroy_qp")
        All.push_back(Call);
    }
    for (const PostSite &Post : T.Posts) {
      if (All.empty() || !Post.Call->arg_size())
        continue;
      const Value *Qp = Post.Call->getArgOperand(0)->stripPointerCasts();
      Calls Ends;
      for (const CallBase *End : All)
        if (sameValue(T, Qp, End->getArgOperand(0)->stripPointerCasts()))
          Ends.insert(End);
      if (Ends.empty())
        continue;
      WaysAround Ways(T, Post, Ends);
      if (!mayBeAnother(*Qp, Ends, Ways))
        clear(Post, Ways);
    }
  }

private:
  /// May the queue pair that ends be another one, because what names it is computed anew before? What is
  /// found in memory is the same there (sameValue), where it is found is not for certain.
  static bool mayBeAnother(const Value &Qp, const Calls &Ends, const WaysAround &Ways) {
    SmallVector<const Value *, 8> Work{&Qp};
    bool Again = all_of(Ends, [&](const Instruction *End) {
      return cast<CallBase>(End)->getArgOperand(0)->stripPointerCasts() != &Qp;
    });
    SmallPtrSet<const Value *, 8> Seen;
    while (!Work.empty()) {
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !Seen.insert(I).second)
        continue;
      if (!(I == &Qp && Again) && Ways.leadTo(*I))
        return true;
      Work.append(I->op_begin(), I->op_end());
    }
    return false;
  }

  /// What the CPU writes behind the end is not what the NIC still reads, or will overwrite.
  void clear(const PostSite &Post, const WaysAround &Ways) {
    std::vector<Statement> &All = P.Threads[T.Index].Statements;
    std::vector<Access> Used;
    bool Fetches = false;
    for (StatementId S = 0; S < T.Sources.size(); ++S)
      if (T.Sources[S] == Post.Call && isRequest(All[S].Op.Kind)) {
        Used.push_back(All[S].Op.Local);
        Fetches |= fetches(All[S].Op.Kind);
      }
    for (StatementId S = 0; S < T.Sources.size(); ++S) {
      const Operation &Op = All[S].Op;
      if (Op.Kind != OperationKind::Store || !T.Sources[S] || Ways.leadTo(*T.Sources[S]))
        continue;
      bool Reads = Op.Value && any_of(*Op.Value, [](const Term &Part) { return !Part.IsConstant; });
      bool Meets = any_of(Used, [&](const Access &A) { return mayOverlap(P, A, Op.Local); });
      if (Meets && !(Fetches && Reads))
        All[S].ClearOf.push_back(Names.of(Post));
    }
  }

  Inventory &Stock;
  Program &P;
  const CountedThread &T;
  PostNames Names{Stock, T, ":e"};
};

} // namespace

void addEnded(Inventory &Stock, const std::deque<CountedThread> &Threads) {
  for (const CountedThread &T : Threads)
    Ended(Stock, T).run();
}

} // namespace rdma::clang_ir
