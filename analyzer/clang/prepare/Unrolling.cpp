#include "analyzer/clang/prepare/Unrolling.h"

#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/prepare/Pipeline.h"
#include "analyzer/clang/prepare/Rotations.h"

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

bool touchesMemory(const Loop &L) {
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block)
      if (I.mayReadOrWriteMemory() && !isa<DbgInfoIntrinsic>(I))
        return true;
  return false;
}

/// Requests that send; what is received has no window.
bool posts(const Loop &L) {
  auto Posts = [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call && !isa<IntrinsicInst>(Call) ? rowOf(*Call) : nullptr;
    return Row && (Row->What == Api::PostSend || Row->What == Api::CmPost || Row->What == Api::WrComplete);
  };
  return any_of(L.blocks(), [&](const BasicBlock *Block) { return any_of(*Block, Posts); });
}

/// Posts so many requests that it stays a loop.
bool staysAndPosts(const Loop &L, ScalarEvolution &Evolution) {
  return Evolution.getSmallConstantMaxTripCount(&L) && posts(L);
}

/// Posts on from where an earlier round of the loop around has left off, as far as the window is open: of
/// its copies, too, nobody knows how many run.
bool fillsWindow(const Loop &L, ScalarEvolution &Evolution) {
  const Loop *Around = L.getParentLoop();
  return Around && !Evolution.getSmallConstantTripCount(&L) && posts(L) &&
         any_of(L.getHeader()->phis(), [&](const PHINode &Counter) {
           auto *From = dyn_cast<PHINode>(Counter.getIncomingValueForBlock(L.getLoopPreheader()));
           return From && From->getParent() == Around->getHeader();
         });
}

/// A loop around such a loop whose counter is used for nothing but to count: each of its copies would be
/// like the others, and take as long.
bool onlyRepeats(const Loop &L, ScalarEvolution &Evolution) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || none_of(L.getSubLoops(), [&](const Loop *Inner) { return staysAndPosts(*Inner, Evolution); }))
    return false;
  auto EndsLoop = [&](const User *U) {
    return all_of(U->users(), [&](const User *Branch) {
      return isa<BranchInst>(Branch) && L.isLoopExiting(cast<BranchInst>(Branch)->getParent());
    });
  };
  bool Counts = false;
  for (const PHINode &Counter : L.getHeader()->phis()) {
    auto *Step = dyn_cast<BinaryOperator>(Counter.getIncomingValueForBlock(Latch));
    if (!Step || !is_contained(Step->operands(), &Counter))
      continue;
    auto IsPartOfCount = [&](const User *U) {
      return U == &Counter || U == Step || (isa<ICmpInst>(U) && EndsLoop(U));
    };
    if (!all_of(Counter.users(), IsPartOfCount) || !all_of(Step->users(), IsPartOfCount))
      return false;
    Counts = true;
  }
  return Counts;
}

/// Polls until something that earlier rounds of the loop around have left behind says that it is enough: a
/// window, a flag of a slot. Copies of such a loop are no straight line; counts/ knows more of the loop.
bool waitsForCount(const Loop &L, const Loop &Inner) {
  SmallPtrSet<const Value *, 16> Seen, Filled;
  SmallVector<const Value *, 16> Work;
  bool Polls = false;
  for (const BasicBlock *Block : Inner.blocks()) {
    for (const Instruction &I : *Block)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && Call->arg_size() == 3)
        if (const ApiRow *Row = rowOf(*Call); Row && Row->What == Api::PollCq)
          Polls = true, Filled.insert(getUnderlyingObject(Call->getArgOperand(2)));
    if (auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
        Branch && Branch->isConditional() && Inner.isLoopExiting(Block))
      Work.push_back(Branch->getCondition());
  }
  while (Polls && !Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !L.contains(I) || isa<CallBase>(I) || !Seen.insert(I).second)
      continue;
    if (auto *Load = dyn_cast<LoadInst>(I);
        Load && Filled.count(getUnderlyingObject(Load->getPointerOperand())))
      continue;
    if (isa<LoadInst>(I) || (isa<PHINode>(I) && I->getParent() == L.getHeader()))
      return true;
    Work.append(I->op_begin(), I->op_end());
  }
  return false;
}

bool holdsWindow(const Loop &L) {
  return any_of(const_cast<Loop &>(L).getLoopsInPreorder(),
                [&](const Loop *Inner) { return Inner != &L && waitsForCount(L, *Inner); });
}

} // namespace

unsigned copiesOf(const Loop &L, ScalarEvolution &Evolution) {
  if (!touchesMemory(L))
    return 0;
  // Ways out of a loop by an error do not count.
  const unsigned Trips = Evolution.getSmallConstantMaxTripCount(&L);
  const bool Whole = Trips && Trips <= MaximalTrips && !onlyRepeats(L, Evolution) &&
                     !fillsWindow(L, Evolution) && (Trips <= FewTrips || !holdsWindow(L));
  return Whole ? Trips : roundsUntilBack(L);
}

} // namespace rdma::clang_ir
