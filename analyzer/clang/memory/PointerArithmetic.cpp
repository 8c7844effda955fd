// Where computed addresses lead: integers that hold them, members and elements, what a loop moves.
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/PointsTo.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

bool isAddress(const Pointer &P) {
  return P.Base->What != Origin::Kind::Null && P.Base->What != Origin::Kind::Number;
}

void move(PointerSet &All, std::int64_t Least, std::int64_t Most) {
  for (Pointer &P : All) {
    P.shift(Least, Most);
    if (Least == Most && Most != Unbounded)
      P.Zeroed += Least;
    else if (P.Strides.empty() || P.Strides.back() != 1)
      P.Strides = {1};
  }
}

} // namespace

/// Integers that hold addresses, and casts.
PointerSet PointsTo::ofArithmetic(InstanceId I, const Operator &Op, Operands Of) {
  Type *T = Op.getType();
  bool MakesPointer = T->isPointerTy();
  auto number = [&] { return MakesPointer ? unknown() : PointerSet{Pointer{Number}}; };
  switch (Op.getOpcode()) {
  case Instruction::PtrToInt:
  case Instruction::AddrSpaceCast:
  case Instruction::BitCast:
    return Of(Op.getOperand(0));
  case Instruction::IntToPtr: {
    PointerSet All = Of(Op.getOperand(0));
    bool Open = std::erase_if(All, [](const Pointer &P) { return P.Base->What == Origin::Kind::Number; });
    if (Open)
      addAll(All, unknown());
    return All;
  }
  case Instruction::Add:
  case Instruction::Sub: {
    ScalarEvolution &Evolution = Instances[I]->Facts.Evolution;
    auto range = [&](const Value *V) {
      return Evolution.isSCEVable(V->getType())
                 ? rangeOf(Evolution, Evolution.getSCEV(const_cast<Value *>(V)))
                 : std::pair{-Far, Unbounded};
    };
    PointerSet Left = Of(Op.getOperand(0)), Right = Of(Op.getOperand(1)), All;
    std::erase_if(Left, [](const Pointer &P) { return !isAddress(P); });
    std::erase_if(Right, [](const Pointer &P) { return !isAddress(P); });
    auto [Least, Most] = range(Op.getOperand(1));
    if (Op.getOpcode() == Instruction::Add) {
      move(Left, Least, Most);
      std::tie(Least, Most) = range(Op.getOperand(0));
      move(Right, Least, Most);
      addAll(All, Right);
    } else if (Right.empty() && Most != Unbounded) {
      move(Left, -Most, -Least);
    } else {
      for (Pointer &P : Left)
        P.blur();
    }
    addAll(All, Left);
    return All.empty() ? number() : All;
  }
  default: {
    if (isa<TruncInst>(Op) || isa<ZExtInst>(Op) || isa<SExtInst>(Op) || !T->isIntegerTy())
      return number();
    PointerSet All;
    for (const Use &Operand : Op.operands())
      addAll(All, Of(Operand));
    std::erase_if(All, [](const Pointer &P) { return !isAddress(P); });
    for (Pointer &P : All)
      P.blur();
    return All.empty() ? number() : All;
  }
  }
}

namespace {

/// A value that a loop moves by a known step, as scalar evolution sees it.
struct Recurrence {
  const Value *Base = nullptr;
  const SCEV *Offset = nullptr;
};

Recurrence recurrenceOf(ScalarEvolution &Evolution, const User &Merge) {
  if (!isa<PHINode>(Merge) || !Evolution.isSCEVable(Merge.getType()))
    return {};
  auto *Steps = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(const_cast<User *>(&Merge)));
  if (!Steps)
    return {};
  bool IsPointer = Merge.getType()->isPointerTy();
  const SCEV *Start = IsPointer ? Evolution.getPointerBase(Steps) : Steps->getStart();
  auto *Base = dyn_cast<SCEVUnknown>(Start);
  if (!Base || Base->getValue() == &Merge)
    return {};
  return {Base->getValue(),
          IsPointer ? Evolution.removePointerBase(Steps) : Evolution.getMinusSCEV(Steps, Start)};
}

} // namespace

bool PointsTo::isRecurrence(InstanceId I, const User &Merge) const {
  return recurrenceOf(Instances[I]->Facts.Evolution, Merge).Base;
}

/// A pointer that a loop moves through an array has the bounds that scalar evolution knows; otherwise every
/// value that comes in.
PointerSet PointsTo::ofMerge(InstanceId I, const User &Merge, Operands Of) {
  ScalarEvolution &Evolution = Instances[I]->Facts.Evolution;
  Recurrence Moved = recurrenceOf(Evolution, Merge);
  PointerSet All;
  if (!Moved.Base) {
    for (const Use &Operand : Merge.operands())
      addAll(All, Of(Operand));
    return All;
  }
  All = Of(Moved.Base);
  auto [Least, Most] = rangeOf(Evolution, Moved.Offset);
  auto *Steps = dyn_cast<SCEVAddRecExpr>(Moved.Offset);
  auto *Step = Steps ? dyn_cast<SCEVConstant>(Steps->getStepRecurrence(Evolution)) : nullptr;
  auto *First = Steps ? dyn_cast<SCEVConstant>(Steps->getStart()) : nullptr;
  for (Pointer &P : All) {
    P.shift(Least, Most);
    if (Step && First) {
      P.Zeroed += First->getAPInt().getSExtValue();
      P.Strides.push_back(std::abs(Step->getAPInt().getSExtValue()));
    } else {
      P.Strides = {1};
    }
  }
  return All;
}

PointerSet PointsTo::ofGep(InstanceId I, const GEPOperator &Gep, PointerSet From, KnownIndex Known) const {
  ScalarEvolution &Evolution = Instances[I]->Facts.Evolution;
  const DataLayout &Layout = Instances[I]->F.getParent()->getDataLayout();
  const ArrayType *Array = nullptr; // what the index at hand goes into, when that is an array in a type
  for (auto At = gep_type_begin(Gep), End = gep_type_end(Gep); At != End;
       Array = dyn_cast<ArrayType>(At.getIndexedType()), ++At) {
    const Value *Index = At.getOperand();
    std::int64_t Stride = 1, Constant = 0;
    if (StructType *Struct = At.getStructTypeOrNull()) {
      Constant = Layout.getStructLayout(Struct)->getElementOffset(cast<ConstantInt>(Index)->getZExtValue());
    } else {
      Stride = At.getSequentialElementStride(Layout).getFixedValue();
      std::optional<std::int64_t> Number = Known(Index);
      if (!Number) {
        auto [Least, Most] = Evolution.isSCEVable(Index->getType())
                                 ? rangeOf(Evolution, Evolution.getSCEV(const_cast<Value *>(Index)))
                                 : std::pair{-Far, Unbounded};
        if (Array && Array->getNumElements() > 1)
          std::tie(Least, Most) = indexInto(*Array, {Least, Most}, Instances[I]->Facts, Gep, Index);
        for (Pointer &P : From) {
          if (isOnlyBucket(P))
            continue;
          if (Most == Unbounded || Least > Most)
            P.widen();
          else
            P.shift(Least * Stride, Most * Stride);
          P.Strides.push_back(Stride);
        }
        continue;
      }
      Constant = *Number * Stride;
    }
    for (Pointer &P : From)
      P.shift(Constant, Constant), P.Zeroed += Constant;
  }
  // A pointer that a loop moves would grow for ever.
  for (Pointer &P : From)
    if (P.Strides.size() > 4 || P.High > Far)
      P.blur();
  return From;
}

} // namespace rdma::clang_ir
