#include "analyzer/clang/replay/Heap.h"
#include "analyzer/clang/prepare/BeforeMain.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace rdma::clang_ir {

using namespace llvm;

static std::uint64_t masked(std::uint64_t Bits, std::int64_t Size) {
  return Size >= 8 ? Bits : Bits & ((std::uint64_t(1) << (8 * Size)) - 1);
}

/// May the constructors of global objects have put something else there before the thread begins?
static bool isConstructed(const GlobalVariable &Global) {
  if (Global.isConstant() || !Global.getParent()->getNamedGlobal("llvm.global_ctors"))
    return false;
  const BeforeMain Early(*Global.getParent());
  SmallVector<const User *, 16> Work(Global.users());
  SmallPtrSet<const User *, 16> Seen(Work.begin(), Work.end());
  while (!Work.empty()) {
    const User *U = Work.pop_back_val();
    if (auto *I = dyn_cast<Instruction>(U); I && Early.mayRun(*I->getFunction()))
      return true;
    if (!isa<Instruction>(U))
      for (const User *By : U->users())
        if (Seen.insert(By).second)
          Work.push_back(By);
  }
  return false;
}

BlockId Heap::add(Before Has, const GlobalVariable *Of) {
  Blocks.push_back({Has, Of, {}});
  return Blocks.size() - 1;
}

BlockId Heap::blockOf(const GlobalValue &Global) {
  auto [Found, New] = Globals.try_emplace(&Global, 0);
  if (New) {
    auto *Variable = dyn_cast<GlobalVariable>(&Global);
    bool Known = Variable && Variable->hasInitializer();
    if (Known && isConstructed(*Variable))
      Found->second = add(Before::Nothing);
    else
      Found->second = add(Known ? Before::Initial : Before::Given, Known ? Variable : nullptr);
  }
  return Found->second;
}

Datum Heap::constant(const Constant &C) {
  if (auto *Number = dyn_cast<ConstantInt>(&C))
    return Number->getBitWidth() <= 64 ? Datum::number(Number->getZExtValue()) : Datum{};
  if (C.isNullValue() && (C.getType()->isPointerTy() || C.getType()->isFloatingPointTy()))
    return Datum::number(0);
  if (C.getType()->isPointerTy()) {
    APInt Offset(64, 0);
    const Value *Base = C.stripAndAccumulateConstantOffsets(Layout, Offset, true);
    if (auto *Global = dyn_cast<GlobalValue>(Base))
      return Datum::address(blockOf(*Global), Offset.getSExtValue());
    return {};
  }
  if (auto *Cast = dyn_cast<ConstantExpr>(&C); Cast && Cast->getOpcode() == Instruction::PtrToInt)
    return constant(*Cast->getOperand(0));
  if (C.getType()->isStructTy()) {
    Datum All{Datum::Kind::Several};
    for (unsigned I = 0; I < C.getType()->getStructNumElements(); ++I) {
      const Constant *Part = C.getAggregateElement(I);
      All.Parts.push_back(Part ? constant(*Part) : Datum{});
    }
    return All;
  }
  return {};
}

Datum Heap::initial(const GlobalVariable &Of, std::int64_t At, std::int64_t Size, bool IsPointer) {
  LLVMContext &Context = Of.getContext();
  Type *Wanted =
      IsPointer ? static_cast<Type *>(PointerType::getUnqual(Context)) : IntegerType::get(Context, Size * 8);
  auto *From = const_cast<Constant *>(Of.getInitializer());
  const Constant *Folded = ConstantFoldLoadFromConst(From, Wanted, APInt(64, At), Layout);
  return Folded ? constant(*Folded) : Datum{};
}

Datum Heap::fresh(Contents &In, Before Has, std::int64_t At, std::int64_t Size, bool IsPointer) {
  switch (Has) {
  case Before::Zeros:
    return Datum::number(0);
  case Before::Initial:
    return Size <= 8 ? initial(*In.Of, At, Size, IsPointer) : Datum{};
  case Before::Given:
    return IsPointer ? Datum::address(add(Before::Given)) : Datum::chosen(0);
  case Before::Nothing:
    break;
  }
  return {};
}

Datum Heap::load(BlockId Block, std::int64_t At, std::int64_t Size, bool IsPointer) {
  Contents &In = Blocks[Block];
  auto Next = In.Pieces.upper_bound(At);
  auto Piece = Next == In.Pieces.begin() ? In.Pieces.end() : std::prev(Next);
  if (Piece != In.Pieces.end() && Piece->second.End <= At)
    Piece = In.Pieces.end();
  bool Alone = Next == In.Pieces.end() || Next->first >= At + Size;
  if (Piece == In.Pieces.end() && Alone) {
    Before Has = In.Has;
    Datum Found = fresh(In, Has, At, Size, IsPointer);
    if (Has == Before::Given)
      store(Block, At, Size, Found); // the same the next time
    return Found;
  }
  if (Piece != In.Pieces.end() && Piece->second.End >= At + Size) {
    if (Piece->second.Filled) {
      Before Has = *Piece->second.Filled;
      Datum Found = fresh(In, Has, At, Size, IsPointer);
      if (Has == Before::Given)
        store(Block, At, Size, Found);
      return Found;
    }
    const Datum &Held = Piece->second.What;
    if (Piece->first == At && Piece->second.End == At + Size)
      return Held;
    if (Held.isNumber() && Size <= 8)
      return Datum::number(masked(Held.Bits >> (8 * (At - Piece->first)), Size));
    return {};
  }
  if (Size < 2 || Size > 8)
    return {};
  std::uint64_t Bits = 0;
  for (std::int64_t I = Size; I-- > 0;) {
    Datum Byte = load(Block, At + I, 1, false);
    if (!Byte.isNumber())
      return {};
    Bits = Bits << 8 | masked(Byte.Bits, 1);
  }
  return Datum::number(Bits);
}

/// Nothing is told of these bytes any more; what lies around them stays.
void Heap::carve(Contents &In, std::int64_t Begin, std::int64_t End) {
  auto Piece = In.Pieces.lower_bound(Begin);
  if (Piece != In.Pieces.begin() && std::prev(Piece)->second.End > Begin)
    --Piece;
  while (Piece != In.Pieces.end() && Piece->first < End) {
    std::int64_t From = Piece->first;
    Heap::Piece Old = std::move(Piece->second);
    Piece = In.Pieces.erase(Piece);
    auto keep = [&](std::int64_t First, std::int64_t Last) {
      if (First >= Last)
        return;
      if (Old.Filled)
        In.Pieces.emplace(First, Heap::Piece{Last, Old.Filled, {}});
      else if (Old.What.isNumber() && Old.End - From <= 8)
        for (std::int64_t At = First; At < Last; ++At)
          In.Pieces.emplace(
              At, Heap::Piece{At + 1, {}, Datum::number(masked(Old.What.Bits >> (8 * (At - From)), 1))});
      else
        In.Pieces.emplace(First, Heap::Piece{Last, Before::Nothing, {}});
    };
    keep(From, Begin);
    keep(End, Old.End);
  }
}

void Heap::store(BlockId Block, std::int64_t At, std::int64_t Size, Datum What) {
  ++Changes;
  if (Size <= 0)
    return;
  carve(Blocks[Block], At, At + Size);
  if (What.isNumber())
    What.Bits = masked(What.Bits, Size);
  Blocks[Block].Pieces.emplace(At, Piece{At + Size, {}, std::move(What)});
}

void Heap::fill(BlockId Block, std::int64_t At, std::int64_t Size, Before Has) {
  ++Changes;
  if (Size <= 0)
    return;
  carve(Blocks[Block], At, At + Size);
  Blocks[Block].Pieces.emplace(At, Piece{At + Size, Has, {}});
}

void Heap::renew(BlockId Block, Before Has) {
  ++Changes;
  Blocks[Block].Has = Has;
  Blocks[Block].Pieces.clear();
}

void Heap::copy(BlockId To, std::int64_t At, BlockId From, std::int64_t Begin, std::int64_t Size) {
  ++Changes;
  if (Size <= 0)
    return;
  constexpr std::int64_t MostInitial = 4096;
  std::map<std::int64_t, Piece> Moved;
  const std::int64_t End = Begin + Size, By = At - Begin;
  auto gap = [&](std::int64_t First, std::int64_t Last) {
    const Contents &In = Blocks[From];
    if (First >= Last)
      return;
    if (In.Has != Before::Initial) {
      Moved.emplace(First + By, Piece{Last + By, In.Has, {}});
    } else if (Last - First > MostInitial) {
      Moved.emplace(First + By, Piece{Last + By, Before::Nothing, {}});
    } else {
      const GlobalVariable &Of = *In.Of;
      for (std::int64_t Next = First; Next < Last;) {
        Datum Pointer = Last - Next >= 8 && Next % 8 == 0 ? initial(Of, Next, 8, true) : Datum{};
        std::int64_t Long = Pointer.isAddress() ? 8 : 1;
        Moved.emplace(
            Next + By,
            Piece{Next + By + Long, {}, Pointer.isAddress() ? Pointer : initial(Of, Next, 1, false)});
        Next += Long;
      }
    }
  };
  std::int64_t Next = Begin;
  auto Piece = Blocks[From].Pieces.upper_bound(Begin);
  if (Piece != Blocks[From].Pieces.begin() && std::prev(Piece)->second.End > Begin)
    --Piece;
  for (; Piece != Blocks[From].Pieces.end() && Piece->first < End; ++Piece) {
    gap(Next, Piece->first);
    std::int64_t First = std::max(Begin, Piece->first), Last = std::min(End, Piece->second.End);
    bool Whole = First == Piece->first && Last == Piece->second.End;
    if (Whole || Piece->second.Filled)
      Moved.emplace(First + By, Heap::Piece{Last + By, Piece->second.Filled, Piece->second.What});
    else if (Piece->second.What.isNumber() && Last - First <= 8)
      Moved.emplace(First + By,
                    Heap::Piece{Last + By,
                                {},
                                Datum::number(masked(Piece->second.What.Bits >> (8 * (First - Piece->first)),
                                                     Last - First))});
    else
      Moved.emplace(First + By, Heap::Piece{Last + By, Before::Nothing, {}});
    Next = Last;
  }
  gap(Next, End);
  carve(Blocks[To], At, At + Size);
  Blocks[To].Pieces.merge(Moved);
}

} // namespace rdma::clang_ir
