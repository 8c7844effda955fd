/// The constants out of which bounds are made.

#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/counts/Invariants.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;
using namespace PatternMatch;

/// It stands in a loop, or what it takes, or what is chosen or cut by it, is asked for in one.
bool Invariants::limitsLoop(const Instruction &Limit) const {
  const Value *Of = Limit.getOperand(0), *In;
  if (match(Of, m_Add(m_Value(In), m_ConstantInt())))
    Of = In;
  std::vector<const Value *> Work{&Limit, Of};
  std::set<const Value *> Seen;
  constexpr std::size_t Most = 16;
  while (!Work.empty() && Seen.size() < Most) {
    const Value *V = Work.back();
    Work.pop_back();
    auto *I = dyn_cast<Instruction>(V);
    if (I && S.T.Loops.getLoopFor(I->getParent()))
      return true;
    const bool Passes =
        V == Of || isa_and_nonnull<CastInst, SelectInst, PHINode, MinMaxIntrinsic, ICmpInst>(I);
    if (!isa<Constant>(V) && Passes && Seen.insert(V).second)
      Work.insert(Work.end(), V->user_begin(), V->user_end());
  }
  return false;
}

/// Constants that the program compares with, or leaves out, and their neighbours.
void Invariants::listLimits() {
  std::set<std::int64_t> Some{-1, 0, 1};
  for (const Instruction &I : instructions(S.T.F))
    if (auto *Left = dyn_cast_or_null<ConstantInt>(S.leftOutAt(I)))
      Some.insert(Left->getSExtValue());
    else if (std::optional<ResultLimit> Limit =
                 isa<CallBase>(I) ? resultLimit(cast<CallBase>(I)) : std::nullopt) {
      if (auto *Most = dyn_cast<ConstantInt>(Limit->Most); Most && Most->getValue().ult(1u << 30))
        Some.insert(Most->getSExtValue());
    } else if (isa<ICmpInst>(I) || isa<MinMaxIntrinsic>(I))
      if (auto *Number = dyn_cast<ConstantInt>(I.getOperand(1));
          Number && Number->getBitWidth() <= 64 && std::abs(Number->getSExtValue()) < (1 << 30) &&
          limitsLoop(I))
        for (std::int64_t Near : {-1, 0, 1})
          Some.insert(Number->getSExtValue() + Near), Some.insert(-Number->getSExtValue() + Near);
  for (std::int64_t N : Some) {
    AllLimits.push_back(N);
    if (!Given.OnlySmall || std::abs(N) <= 1)
      Limits.push_back(N);
  }
}

} // namespace rdma::clang_ir
