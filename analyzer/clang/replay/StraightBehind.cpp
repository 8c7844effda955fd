#include "analyzer/clang/replay/StraightBehind.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/translate/FailedCalls.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// So many bytes behind what a value says.
struct PlaceOf {
  const Value *Base;
  std::int64_t Offset = 0;

  PlaceOf(const Value *V, const DataLayout &Layout) : Base(V) {
    for (bool Going = true; Going;) {
      Going = false;
      if (isa<PtrToIntOperator>(Base) || isa<IntToPtrInst>(Base)) {
        Base = cast<User>(Base)->getOperand(0), Going = true;
      } else if (auto *Sum = dyn_cast<BinaryOperator>(Base); Sum && Sum->getOpcode() == Instruction::Add) {
        if (auto *Number = dyn_cast<ConstantInt>(Sum->getOperand(1)); Number && Number->getBitWidth() <= 64)
          Offset += Number->getSExtValue(), Base = Sum->getOperand(0), Going = true;
      } else if (Base->getType()->isPointerTy()) {
        APInt Known(64, 0);
        const Value *Inner = Base->stripAndAccumulateConstantOffsets(Layout, Known, true);
        Going = Inner != Base, Base = Inner, Offset += Known.getSExtValue();
      }
    }
  }
};

class Straight {
public:
  Straight(const CountedThread &T, const PostSite &Post, SeenPairs &Found)
      : T(T), Post(Post), Layout(T.F.getParent()->getDataLayout()), Buffer(Post.Address, Layout),
        Found(Found) {
    for (const auto &Way : waysWhereFailed(*Post.Call))
      Failed.insert(Way.first->getTerminator()->getSuccessor(Way.second));
  }

  void run() {
    auto *Computed = dyn_cast<Instruction>(Buffer.Base);
    if (Computed && !T.Tree.dominates(Computed, Post.Call)) // in an earlier round, then
      return;
    const Instruction *At = Post.Call;
    while ((At = next(*At)) && passes(*At))
      ;
  }

private:
  static constexpr unsigned MostSteps = 8;

  static bool endsProcess(const BasicBlock &Block) { return isa<UnreachableInst>(Block.getTerminator()); }

  /// Is it found in memory behind the request? Then it may tell of the completion, also where the process
  /// ends if it does not.
  bool looksBehind(const Value *Condition, unsigned Depth) const {
    auto *I = dyn_cast<Instruction>(Condition);
    if (!I || I == Post.Call || T.Tree.dominates(I, Post.Call))
      return false;
    return Depth == MostSteps || isa<LoadInst>(I) || isa<CallBase>(I) || isa<PHINode>(I) ||
           any_of(I->operands(), [&](const Use &Part) { return looksBehind(Part, Depth + 1); });
  }

  /// Null: there are several ways, or one that may have to do with the completion.
  const Instruction *next(const Instruction &At) {
    if (!At.isTerminator())
      return At.getNextNode();
    if (!isa<BranchInst>(At) && &At != Post.Call)
      return nullptr;
    const BasicBlock *Only = nullptr;
    auto *Branch = dyn_cast<BranchInst>(&At);
    if (Branch && Branch->isConditional() && looksBehind(Branch->getCondition(), 0))
      return nullptr;
    for (const BasicBlock *Way : successors(&At)) {
      if (endsProcess(*Way) || Failed.contains(Way) || Way->isLandingPad())
        continue;
      if (Only)
        return nullptr;
      Only = Way;
    }
    const bool Again =
        Only && (!Seen.insert(Only).second ||
                 (T.Loops.isLoopHeader(Only) && !T.Loops.getLoopFor(Only)->contains(Post.Call)));
    return !Only || Again ? nullptr : &Only->front();
  }

  /// Notes an access; false: nothing is known of what comes behind.
  bool passes(const Instruction &I) {
    if (&I == Buffer.Base || &I == Post.Call || I.isAtomic())
      return false;
    if (const Value *Place = getLoadStorePointerOperand(&I))
      note(I, Place, Layout.getTypeStoreSize(getLoadStoreType(const_cast<Instruction *>(&I))));
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<DbgInfoIntrinsic>(Call) || isa<LifetimeIntrinsic>(Call))
      return true;
    if (auto *Set = dyn_cast<MemIntrinsic>(Call)) {
      auto *Length = dyn_cast<ConstantInt>(Set->getLength());
      note(I, Set->getRawDest(), Length ? Length->getSExtValue() : 0);
      return true;
    }
    const ApiRow *Row = isa<IntrinsicInst>(Call) ? nullptr : rowOf(*Call);
    return Row && (Row->What == Api::Memory || Row->What == Api::Nothing);
  }

  void note(const Instruction &I, const Value *Pointer, std::int64_t Size) {
    const PlaceOf Place(Pointer, Layout);
    if (Place.Base == Buffer.Base && Place.Offset < Buffer.Offset + *Post.Length &&
        Buffer.Offset < Place.Offset + Size)
      Found.try_emplace({Post.Call, &I}, false);
  }

  const CountedThread &T;
  const PostSite &Post;
  const DataLayout &Layout;
  const PlaceOf Buffer;
  SeenPairs &Found;
  SmallPtrSet<const BasicBlock *, 8> Seen, Failed;
};

/// Its buffer is read, or written, until the completion.
bool staysOut(const PostSite &Post) {
  const ApiRow *Row = rowOf(*Post.Call);
  return Row && Row->What == Api::PostSend && Post.Whole && Post.Requests.size() == 1 &&
         Post.Requests[0].Inline == false && Post.Address && Post.Length;
}

} // namespace

void addStraightBehind(const CountedThread &T, SeenPairs &Found) {
  for (const PostSite &Post : T.Posts)
    if (staysOut(Post))
      Straight(T, Post, Found).run();
}

} // namespace rdma::clang_ir
