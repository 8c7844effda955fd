// The numbers that a value may be, and the values that one may be.
#include "analyzer/clang/memory/MemoryReader.h"

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

using Numbers = MemoryReader::Numbers;

enum : unsigned { MostConstants = 16, DeepestValue = 24, Merging = 4 };

/// Each once, unless there are too many.
Numbers listed(std::vector<std::uint64_t> All) {
  std::sort(All.begin(), All.end());
  All.erase(std::unique(All.begin(), All.end()), All.end());
  return All.empty() || All.size() > MostConstants ? std::nullopt : Numbers(std::move(All));
}

/// Nothing for an operation that is not followed, or that has no result.
std::optional<APInt> computed(unsigned Opcode, const APInt &A, const APInt &B) {
  switch (Opcode) {
  case Instruction::Or:
    return A | B;
  case Instruction::And:
    return A & B;
  case Instruction::Xor:
    return A ^ B;
  case Instruction::Add:
    return A + B;
  case Instruction::Sub:
    return A - B;
  case Instruction::Mul:
    return A * B;
  case Instruction::Shl:
    return A.shl(B);
  case Instruction::LShr:
    return A.lshr(B);
  case Instruction::URem:
    return B.isZero() ? std::nullopt : std::optional(A.urem(B));
  case Instruction::UDiv:
    return B.isZero() ? std::nullopt : std::optional(A.udiv(B));
  default:
    return std::nullopt;
  }
}

APInt numberOf(const Type *T, std::uint64_t Value) { return APInt(64, Value).trunc(T->getIntegerBitWidth()); }

} // namespace

MemoryReader::Numbers MemoryReader::constants(const Contents &What) {
  std::vector<std::uint64_t> All;
  for (const Content &C : What) {
    if (C.What == Content::Kind::Constant) {
      All.push_back(C.Constant);
    } else if (C.What == Content::Kind::Value) {
      Numbers Some = constants(C.V);
      if (!Some)
        return std::nullopt;
      All.insert(All.end(), Some->begin(), Some->end());
    } else if (C.What == Content::Kind::Unknown) {
      return std::nullopt;
    }
  }
  return listed(std::move(All));
}

MemoryReader::Numbers MemoryReader::constants(const Value *V) { return constants(V, 0); }

MemoryReader::Numbers MemoryReader::constants(const Value *V, unsigned Depth) {
  if (isa<ConstantPointerNull>(V))
    return std::vector{std::uint64_t(0)};
  if (Depth > DeepestValue || !V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  if (auto *Number = dyn_cast<ConstantInt>(V))
    return std::vector{Number->getZExtValue()};
  if (isa<PHINode>(V) || isa<SelectInst>(V))
    return ofMerged(*cast<User>(V), Depth);
  if (auto *Load = dyn_cast<LoadInst>(V))
    return ofLoad(*Load, Depth);
  if (auto *Binary = dyn_cast<BinaryOperator>(V))
    return ofBinary(*Binary, Depth);
  if (auto *Cast = dyn_cast<CastInst>(V))
    return ofCast(*Cast, Depth);
  if (auto *Freeze = dyn_cast<FreezeInst>(V))
    return constants(Freeze->getOperand(0), Depth + 1);
  if (auto *Swap = dyn_cast<IntrinsicInst>(V); Swap && Swap->getIntrinsicID() == Intrinsic::bswap)
    return ofSwapped(*Swap, Depth);
  return std::nullopt;
}

MemoryReader::Numbers MemoryReader::ofMerged(const User &Merge, unsigned Depth) {
  std::vector<std::uint64_t> All;
  for (unsigned I = isa<SelectInst>(Merge) ? 1 : 0; I < Merge.getNumOperands(); ++I) {
    Numbers Some = constants(Merge.getOperand(I), Depth + Merging);
    if (!Some)
      return std::nullopt;
    All.insert(All.end(), Some->begin(), Some->end());
  }
  return listed(std::move(All));
}

MemoryReader::Numbers MemoryReader::ofLoad(const LoadInst &Load, unsigned Depth) {
  PointerSet Places = Where.resolve(Load.getPointerOperand());
  std::int64_t Size = F.getParent()->getDataLayout().getTypeStoreSize(Load.getType());
  // What is volatile changes behind the program's back.
  bool Own = Places.size() == 1 && Places[0].Base->What == Origin::Kind::Stack;
  if (Places.size() != 1 || Depth > DeepestValue / 2 || (Load.isVolatile() && !Own))
    return std::nullopt;
  // A counter in memory is made of itself.
  if (Open.size() > DeepestValue || !Open.insert(&Load).second)
    return std::nullopt;
  Numbers Known = constants(read(Places[0], Size, &Load, Load.getPointerOperand()));
  Open.erase(&Load);
  return Known;
}

/// Of each of the one with each of the other.
MemoryReader::Numbers MemoryReader::ofBinary(const BinaryOperator &Binary, unsigned Depth) {
  Numbers Left = constants(Binary.getOperand(0), Depth + 1);
  Numbers Right = Left ? constants(Binary.getOperand(1), Depth + 1) : std::nullopt;
  if (!Right)
    return std::nullopt;
  std::vector<std::uint64_t> All;
  for (std::uint64_t A : *Left)
    for (std::uint64_t B : *Right) {
      const Type *T = Binary.getType();
      std::optional<APInt> Result = computed(Binary.getOpcode(), numberOf(T, A), numberOf(T, B));
      if (!Result)
        return std::nullopt;
      All.push_back(Result->getZExtValue());
    }
  return listed(std::move(All));
}

MemoryReader::Numbers MemoryReader::ofCast(const CastInst &Cast, unsigned Depth) {
  if (!Cast.getSrcTy()->isIntegerTy() || !Cast.isIntegerCast())
    return std::nullopt;
  // A flag that is 0 or 1 is known even where its condition is not.
  if (Cast.getSrcTy()->isIntegerTy(1) && isa<ZExtInst>(Cast))
    return std::vector<std::uint64_t>{0, 1};
  Numbers Inner = constants(Cast.getOperand(0), Depth + 1);
  if (!Inner)
    return std::nullopt;
  unsigned Bits = Cast.getDestTy()->getIntegerBitWidth();
  for (std::uint64_t &C : *Inner) {
    APInt Before = numberOf(Cast.getSrcTy(), C);
    C = (isa<SExtInst>(Cast) ? Before.sextOrTrunc(Bits) : Before.zextOrTrunc(Bits)).getZExtValue();
  }
  return listed(*std::move(Inner));
}

/// In the order of the network, or back.
MemoryReader::Numbers MemoryReader::ofSwapped(const IntrinsicInst &Swap, unsigned Depth) {
  Numbers All = constants(Swap.getArgOperand(0), Depth + 1);
  if (All)
    for (std::uint64_t &Number : *All)
      Number = numberOf(Swap.getType(), Number).byteSwap().getZExtValue();
  return All;
}

std::vector<const Value *> MemoryReader::alternatives(const Value *V) {
  std::vector<const Value *> Result, Work{V};
  std::set<const Value *> Seen{V};
  auto push = [&](const Value *Next) {
    if (Seen.insert(Next).second)
      Work.push_back(Next);
  };
  while (!Work.empty()) {
    const Value *Next = Work.back();
    Work.pop_back();
    if (isa<PHINode>(Next) || isa<SelectInst>(Next)) {
      auto *Merge = cast<User>(Next);
      for (unsigned I = isa<SelectInst>(Merge) ? 1 : 0; I < Merge->getNumOperands(); ++I)
        push(Merge->getOperand(I));
      continue;
    }
    if (auto *Load = dyn_cast<LoadInst>(Next); Load && Seen.size() < 64) {
      PointerSet Places = Where.resolve(Load->getPointerOperand());
      std::int64_t Size = F.getParent()->getDataLayout().getTypeStoreSize(Load->getType());
      Contents Held = Places.size() == 1 ? read(Places[0], Size, Load) : Contents{};
      bool Whole = !Held.empty() && std::all_of(Held.begin(), Held.end(), [](const Content &C) {
        return C.What == Content::Kind::Value || C.What == Content::Kind::Uninitialised;
      });
      if (Whole) {
        for (const Content &C : Held)
          if (C.V)
            push(C.V);
        continue;
      }
    }
    if (std::find(Result.begin(), Result.end(), Next) == Result.end())
      Result.push_back(Next);
  }
  return Result;
}

} // namespace rdma::clang_ir
