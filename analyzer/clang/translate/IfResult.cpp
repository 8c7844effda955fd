#include "analyzer/clang/translate/IfResult.h"
#include "analyzer/clang/translate/KeptResults.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

bool isComputation(const User &U) {
  auto *Call = dyn_cast<IntrinsicInst>(&U);
  return (Call && Call->doesNotAccessMemory() && !Call->getType()->isVoidTy()) ||
         isa<CastInst, BinaryOperator, UnaryOperator, CmpInst, SelectInst, PHINode, FreezeInst,
             ExtractValueInst>(U);
}

} // namespace

IfResult::IfResult(const CallBase &Call) : Call(Call) {
  SmallVector<const Value *, 16> Work;
  for (const Value *V : keptResults(Call))
    Kept.insert(V), Computed.insert(V), Work.push_back(V);
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users())
      if (isComputation(*U) && Computed.insert(U).second)
        Work.push_back(U);
}

const Constant *IfResult::value(const Value *V, std::int64_t Result) const {
  Known Before;
  return value(V, Result, Before, 0);
}

const Constant *IfResult::value(const Value *V, std::int64_t Result, Known &Before, unsigned Depth) const {
  constexpr unsigned MostSteps = 16;
  if (auto *Number = dyn_cast<Constant>(V))
    return Number;
  if (Depth == MostSteps || !Computed.contains(V))
    return nullptr;
  // What comes back to itself, round a loop, is not known.
  if (auto [At, New] = Before.try_emplace(V, nullptr); !New)
    return At->second;
  const Constant *Found = compute(V, Result, Before, Depth);
  return Before[V] = Found;
}

const Constant *IfResult::compute(const Value *V, std::int64_t Result, Known &Before, unsigned Depth) const {
  if (V == &Call)
    return ConstantInt::getSigned(cast<IntegerType>(V->getType()), Result);
  // It may have been made wider before it was kept.
  if (Kept.contains(V) && isa<LoadInst>(V))
    return Result == 0                      ? Constant::getNullValue(V->getType())
           : V->getType() == Call.getType() ? ConstantInt::getSigned(cast<IntegerType>(V->getType()), Result)
                                            : nullptr;
  auto *I = cast<Instruction>(V);
  if (auto *Choice = dyn_cast<PHINode>(I))
    return alike(Choice->incoming_values(), Result, Before, Depth);
  if (auto *Choice = dyn_cast<SelectInst>(I); Choice && !Computed.contains(Choice->getCondition()))
    return alike(drop_begin(Choice->operands()), Result, Before, Depth);
  SmallVector<Constant *, 3> Operands;
  for (const Use &Operand : I->operands()) {
    Operands.push_back(const_cast<Constant *>(value(Operand, Result, Before, Depth + 1)));
    if (!Operands.back())
      return nullptr;
  }
  const DataLayout &Layout = Call.getModule()->getDataLayout();
  if (auto *Compare = dyn_cast<CmpInst>(I))
    return ConstantFoldCompareInstOperands(Compare->getPredicate(), Operands[0], Operands[1], Layout);
  return ConstantFoldInstOperands(const_cast<Instruction *>(I), Operands, Layout);
}

template <typename Range>
const Constant *IfResult::alike(const Range &Values, std::int64_t Result, Known &Before,
                                unsigned Depth) const {
  const Constant *All = nullptr;
  for (const Value *V : Values) {
    if (!Computed.contains(V))
      continue;
    const Constant *One = value(V, Result, Before, Depth + 1);
    if (!One || (All && All != One))
      return nullptr;
    All = One;
  }
  return All;
}

} // namespace rdma::clang_ir
