// Where computed addresses lead: integers that hold them, members and elements, what a loop moves.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/PointsTo.h"
#include "analyzer/clang/memory/TextRoom.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <numeric>

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

/// A power of two that divides every address of the block.
std::uint64_t alignmentIn(const Origin &Base, const DataLayout &Layout) {
  constexpr std::uint64_t OfAllocations = 16;
  switch (Base.What) {
  case Origin::Kind::Global:
  case Origin::Kind::Stack:
    return Base.Root && !Base.Indirect ? Base.Root->getPointerAlignment(Layout).value() : 1;
  case Origin::Kind::Heap: {
    auto *Call = dyn_cast_or_null<CallBase>(Base.Root);
    const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
    return Row && Row->What == Api::Allocate ? OfAllocations : 1;
  }
  case Origin::Kind::Pointee:
    return Base.Indirect ? clang_ir::alignmentOf(Base.Name.Type) : 1;
  default:
    return 1;
  }
}

} // namespace

std::optional<std::int64_t> lowBits(const Pointer &P, std::uint64_t Mask, const DataLayout &Layout) {
  if (!P.exact() && P.Strides.empty())
    return std::nullopt;
  std::uint64_t Step = alignmentIn(*P.Base, Layout);
  for (std::int64_t Stride : P.exact() ? std::vector<std::int64_t>() : P.Strides)
    Step = std::gcd(Step, Stride);
  return Mask < Step ? std::optional((P.exact() ? P.Low : P.Zeroed) & Mask) : std::nullopt;
}

std::uint64_t bitsChanged(unsigned Opcode, std::uint64_t Constant) {
  constexpr std::uint64_t Above = ~0ull << 47;
  return Opcode == Instruction::And ? ~Constant & ~Above : Constant;
}

namespace {

const ConstantInt *markOf(const User &Op) {
  auto *C = Op.getNumOperands() == 2 ? dyn_cast<ConstantInt>(Op.getOperand(1)) : nullptr;
  return C && C->getBitWidth() == 64 ? C : nullptr;
}

/// Has it marked the address, or taken the mark off?
bool mark(unsigned Opcode, std::uint64_t Bits, Pointer &P, const DataLayout &Layout) {
  std::uint64_t Changed = bitsChanged(Opcode, Bits);
  std::optional<std::int64_t> Low = lowBits(P, Changed, Layout);
  if (!Low)
    return false;
  std::int64_t By = Opcode == Instruction::And  ? -*Low
                    : Opcode == Instruction::Or ? static_cast<std::int64_t>(Changed) - *Low
                                                : static_cast<std::int64_t>(Changed) - 2 * *Low;
  P = moved(P, By);
  return true;
}

} // namespace

namespace {

/// Leaves this so much of an address that what belongs to the rest says where it leads? Pages of a gigabyte
/// have their base.
bool takesPartOf(const Operator &Op) {
  constexpr unsigned Gigabyte = 30, AboveAddresses = 17;
  auto *Bits = Op.getNumOperands() == 2 ? dyn_cast<ConstantInt>(Op.getOperand(1)) : nullptr;
  if (!Bits || Bits->getBitWidth() != 64)
    return false;
  switch (Op.getOpcode()) {
  case Instruction::And:
    return bitsChanged(Instruction::And, Bits->getZExtValue()) >> Gigabyte;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return Bits->getZExtValue() >= AboveAddresses;
  default:
    return false;
  }
}

} // namespace

bool PointsTo::isMark(const User &Op, const Pointer &P) const {
  const ConstantInt *Bits =
      Op.getType()->isIntegerTy() && isa<Operator>(Op) && cast<Operator>(Op).getOpcode() == Instruction::And
          ? markOf(Op)
          : nullptr;
  return Bits && lowBits(P, Bits->getZExtValue(), Instances.front()->F.getParent()->getDataLayout());
}

bool isDifference(const User &U) { return Operator::getOpcode(&U) == Instruction::Sub; }

/// The address of which this is the lower part.
static const Value *wholeAddress(const Value *V) {
  while (Operator::getOpcode(V) == Instruction::Trunc || Operator::getOpcode(V) == Instruction::PtrToInt)
    V = cast<Operator>(V)->getOperand(0);
  return V;
}

/// A difference of two addresses is an index of one object, or leads from an object to another one.
void PointsTo::measure(InstanceId I, const User &U) {
  for (const Use &Operand : U.operands())
    if (auto *Part = dyn_cast<ConstantExpr>(Operand))
      measure(I, *Part);
  if (!isDifference(U))
    return;
  const PointerSet To = of(I, wholeAddress(U.getOperand(0))), From = of(I, wholeAddress(U.getOperand(1)));
  auto isIn = [](const PointerSet &All, const Origin *Base) {
    return any_of(All, [&](const Pointer &P) { return P.Base == Base; });
  };
  if (any_of(To, [&](const Pointer &P) { return P.Base->named() && isIn(From, P.Base); }))
    return;
  for (Pointer There : To)
    for (Pointer Here : From)
      if (There.Base->named() && Here.Base->named()) {
        There.blur(), Here.blur();
        grow(Distant[Here.Base], {There});
        grow(Distant[There.Base], {Here});
      }
}

/// Where an index of this range leads to from these, outside of the object.
void PointsTo::addDistant(PointerSet &All, std::int64_t Least, std::int64_t Most) {
  constexpr std::int64_t Near = 1 << 15; // what is held in so few bits is no distance
  if (Most != Unbounded && Most >= Least && Most - Least < Near)
    return;
  const PointerSet From = All;
  for (const Pointer &P : From)
    if (P.Base->named())
      addAll(All, read(Distant[P.Base]));
}

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
      addDistant(Left, Least, Most);
      move(Left, Least, Most);
      std::tie(Least, Most) = range(Op.getOperand(0));
      addDistant(Right, Least, Most);
      move(Right, Least, Most);
      addAll(All, Right);
    } else if (Right.empty() && Most != Unbounded) {
      addDistant(Left, -Most, -Least);
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
    std::erase_if(All, [&](const Pointer &P) { return !isAddress(P) || isMark(Op, P); });
    const unsigned Opcode = Op.getOpcode();
    const bool OfBits = Opcode == Instruction::And || Opcode == Instruction::Or || Opcode == Instruction::Xor;
    const ConstantInt *Bits = OfBits ? markOf(Op) : nullptr;
    const DataLayout &Layout = Instances[I]->F.getParent()->getDataLayout();
    for (Pointer &P : All)
      if (!Bits || !mark(Opcode, Bits->getZExtValue(), P, Layout))
        P.blur();
    // With other bits beside the rest it may be any address.
    if (!All.empty() && takesPartOf(Op))
      addAll(All, unknown());
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

namespace {

/// As far as the numbers that it is asked for say; Unbounded: they are not constant.
std::int64_t bytesAsked(const CallBase &Allocation) {
  std::int64_t Bytes = 1;
  for (const Use &Argument : Allocation.args())
    if (Argument->getType()->isIntegerTy()) {
      auto *Number = dyn_cast<ConstantInt>(Argument);
      if (!Number || Number->getValue().getActiveBits() > 31 ||
          MulOverflow<std::int64_t>(Bytes, Number->getZExtValue(), Bytes))
        return Unbounded;
    }
  return Bytes;
}

/// Does the array go on behind what its type says? One that ends a struct has what was allocated behind that.
bool mayGoOn(const Pointer &P, const ArrayType &Array, const DataLayout &Layout) {
  const Origin &Block = *P.Base;
  if (!P.exact() || (Block.What != Origin::Kind::Heap && Block.What != Origin::Kind::Pointee))
    return false;
  const DIType *Type = strip(Block.Name.Type);
  const std::int64_t Size = sizeOf(Type).value_or(0);
  if (Size && lastArrayIn(Type) != P.Low % Size)
    return false;
  auto *Allocation = dyn_cast_or_null<CallBase>(Block.Root);
  const std::int64_t Behind =
      P.Low + static_cast<std::int64_t>(Layout.getTypeAllocSize(const_cast<ArrayType *>(&Array)));
  return !Allocation || Block.What != Origin::Kind::Heap || std::max(Size, Behind) < bytesAsked(*Allocation);
}

} // namespace

PointerSet PointsTo::ofGep(InstanceId I, const GEPOperator &Gep, PointerSet From, KnownIndex Known,
                           IndexBounds Within) {
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
        addDistant(From, Least, Most);
        const bool Bound = Array && Array->getNumElements() > 1;
        const IndexRange Any(Least, Most);
        const IndexRange Inside = Bound ? Within(*Array, Any, Index) : Any;
        for (Pointer &P : From) {
          if (isOnlyBucket(P))
            continue;
          std::tie(Least, Most) = Inside;
          if (Bound && mayGoOn(P, *Array, Layout))
            Most = std::max(Most, std::min(Any.second, (Far - P.High) / Stride));
          if (const std::optional<TextRoom> Room = textRoom(Gep, P))
            P.Low = Room->Begin, P.High = Room->End - 1;
          else if (Most == Unbounded || Least > Most)
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
    if (P.Strides.size() > 4 || (P.High != Unbounded && P.High > Far))
      P.blur();
  return From;
}

} // namespace rdma::clang_ir
