#include "analyzer/clang/translate/FreshBlocks.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr unsigned MostUses = 1000;

struct Showings : CaptureTracker {
  std::optional<std::vector<const Instruction *>> All{std::in_place};
  void tooManyUses() override { All.reset(); }
  bool captured(const Use *U) override {
    if (All)
      All->push_back(cast<Instruction>(U->getUser()));
    return !All;
  }
};

/// By ways on which no other block is made in between.
bool leadsTo(const Instruction &From, const Instruction &To, const CallBase &Made) {
  const BasicBlock *Again = Made.getParent();
  if (From.getParent() == To.getParent() && From.comesBefore(&To))
    return true;
  if (To.getParent() == Again)
    return false;
  SmallPtrSet<BasicBlock *, 1> Without{const_cast<BasicBlock *>(Again)};
  SmallVector<BasicBlock *, 4> Next;
  for (const BasicBlock *Block : successors(From.getParent()))
    if (Block != Again)
      Next.push_back(const_cast<BasicBlock *>(Block));
  return !Next.empty() &&
         isPotentiallyReachableFromMany(Next, const_cast<BasicBlock *>(To.getParent()), &Without);
}

} // namespace

const FreshBlocks::Uses &FreshBlocks::shownBy(const CallBase &Made) {
  auto [Found, New] = Shown.try_emplace(&Made);
  if (New) {
    Showings Tracker;
    PointerMayBeCaptured(&Made, &Tracker, MostUses);
    Found->second = std::move(Tracker.All);
  }
  return Found->second;
}

bool FreshBlocks::isFresh(const Value *Pointer, const Instruction &Here,
                          function_ref<bool(const CallBase &)> Allocates) {
  auto *Made = dyn_cast<CallBase>(getUnderlyingObject(Pointer, 0));
  if (!Made || !isNoAliasCall(Made) || !Allocates(*Made))
    return false;
  const Uses &All = shownBy(*Made);
  return All && none_of(*All, [&](const Instruction *I) { return I == &Here || leadsTo(*I, Here, *Made); });
}

} // namespace rdma::clang_ir
