#include "analyzer/clang/prepare/Rotations.h"

#include <llvm/IR/Instructions.h>

#include <numeric>

namespace rdma::clang_ir {

using namespace llvm;

static constexpr unsigned MostRounds = 4;

/// How many steps lead from the pointer back to itself, each to what the round before had in another.
static unsigned stepsUntilBack(const PHINode &Pointer, const BasicBlock &Latch) {
  const PHINode *At = &Pointer;
  for (unsigned Steps = 1; Steps <= MostRounds; ++Steps) {
    At = dyn_cast<PHINode>(At->getIncomingValueForBlock(&Latch));
    if (!At || At->getParent() != Pointer.getParent())
      return 0;
    if (At == &Pointer)
      return Steps;
  }
  return 0;
}

unsigned roundsUntilBack(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  unsigned Rounds = 1;
  for (const PHINode &Pointer : L.getHeader()->phis())
    if (const unsigned Steps =
            Latch && Pointer.getType()->isPointerTy() ? stepsUntilBack(Pointer, *Latch) : 0)
      Rounds = std::lcm(Rounds, Steps);
  return Rounds > 1 && Rounds <= MostRounds ? Rounds : 0;
}

} // namespace rdma::clang_ir
