// Addresses as numbers: a wr_id that is one comes back with the completion, and tells whose it is.
//
// What a program does may not hang on where its objects lie, so any place will do for them: each begins at a
// multiple of 2^41 of its own. What would tell one place from another (an order, a distance, the bits between
// those of a mark and those above every address) is not followed.
#include "analyzer/clang/counts/Region.h"
#include "analyzer/clang/memory/Kin.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr unsigned Apart = 41;
constexpr std::size_t MostPlaced = 31; // below 2^47, as all addresses
constexpr std::size_t MostBlocks = 4;  // of those that one pointer may lead into

/// Does anything use the pointer as one on every way to the instruction?
bool isUsedBefore(const Value &V, const Instruction &At, const DominatorTree &Tree, unsigned Depth = 0) {
  return any_of(V.users(), [&](const User *U) {
    auto *I = dyn_cast<Instruction>(U);
    if (!I || I->getFunction() != At.getFunction())
      return false;
    if (getLoadStorePointerOperand(I) == &V)
      return Tree.dominates(I, &At);
    return isa<GetElementPtrInst>(I) && Depth < 4 && isUsedBefore(*I, At, Tree, Depth + 1);
  });
}

} // namespace

/// May the block end, and another come to lie there, before a completion is taken?
bool System::stays(const Origin &Base) {
  const bool Given = Base.What == Origin::Kind::Heap || Base.What == Origin::Kind::Pointee;
  auto *Variable = Base.What == Origin::Kind::Stack ? dyn_cast_or_null<AllocaInst>(Base.Root) : nullptr;
  auto *Global = Base.What == Origin::Kind::Global ? dyn_cast_or_null<GlobalVariable>(Base.Root) : nullptr;
  if (!(Global && !Global->isThreadLocal()) && !(Given && Memory.ownBlock(Base)) &&
      !(Variable && Variable->getFunction() == &T.F))
    return false;
  auto ends = [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    auto *Marker = dyn_cast<LifetimeIntrinsic>(&I);
    const ApiRow *Row = Call && !isa<IntrinsicInst>(I) ? rowOf(*Call) : nullptr;
    if (Call && Given && !Row && !isa<IntrinsicInst>(I))
      return Memory.mayTouch(Memory.writesOf(*Call), {Pointer{&Base}, Unbounded});
    const bool Frees = Given && Row && Row->What == Api::Frees;
    if (!Frees && !(Marker && Marker->getIntrinsicID() == Intrinsic::lifetime_end))
      return false;
    return any_of(T.Where.resolve(Call->getArgOperand(Frees ? 0 : 1)),
                  [&](const Pointer &P) { return P.Base == &Base || !P.Base->named(); });
  };
  return Memory.firm(Base) && none_of(instructions(T.F), [&](const Instruction &I) {
           return ends(I) && any_of(T.Polls, [&](const PollSite &P) {
                    return isPotentiallyReachable(&I, P.Call, nullptr, &T.Tree, &T.Loops);
                  });
         });
}

std::optional<std::int64_t> System::beginOf(const Origin &Base) {
  auto [Known, New] = Begins.try_emplace(&Base, std::nullopt);
  // Of those that may be one block, one has a place.
  const bool Alone = none_of(Begins, [&](const auto &Other) {
    return Other.second && Other.first != &Base && mayShare(*Other.first, Base);
  });
  if (New && Alone && Placed < MostPlaced && stays(Base))
    Known->second = static_cast<std::int64_t>(++Placed) << Apart;
  return Known->second;
}

bool System::isAmongBlocks(const PointerSet &Places) {
  return Places.size() > 1 && Places.size() <= MostBlocks &&
         all_of(Places, [&](const Pointer &P) { return P.Base->named() && beginOf(*P.Base); });
}

std::optional<std::int64_t> System::initialOf(const Cell &C) {
  const Constant *Address = C.Initial || C.Shared || C.OfRequest ? nullptr : Memory.initialAddress(C);
  const PointerSet Places = Address ? T.Where.resolve(Address) : PointerSet{};
  if (Places.size() != 1 || !Places[0].exact() || !Places[0].Base->named())
    return C.Initial;
  std::optional<std::int64_t> Begin = beginOf(*Places[0].Base);
  return Begin ? std::optional(*Begin + Places[0].Low) : std::nullopt;
}

bool System::staysInBlocks(const GEPOperator &Step) {
  const PointerSet From = T.Where.resolve(Step.getPointerOperand());
  return all_of(T.Where.resolve(&Step), [&](const Pointer &P) {
    return any_of(From, [&](const Pointer &Q) { return P.Base == Q.Base; });
  });
}

bool System::isVariable(const Value &V) const {
  const PointerSet Places = T.Where.resolve(&V);
  return !Places.empty() && all_of(Places, [](const Pointer &P) {
    return P.Base->What == Origin::Kind::Global || P.Base->What == Origin::Kind::Stack;
  });
}

bool System::isAddress(const Value &V) const {
  return V.getType()->isPointerTy() ||
         (V.getType()->isIntegerTy(64) && !isa<ConstantInt>(V) && !T.Where.resolveAddress(&V).empty());
}

std::optional<z3::expr> Region::address(const Value *V, const Instruction *At) {
  return V->getType()->isPointerTy()     ? addressOf(V, At)
         : V->getType()->isIntegerTy(64) ? addressIn(V, At)
                                         : std::nullopt;
}

/// Of a pointer. Where At is given, it may be null so far as is known, but for what has been used before.
std::optional<z3::expr> Region::addressOf(const Value *V, const Instruction *At) {
  const DataLayout &Layout = S.T.F.getParent()->getDataLayout();
  if (auto *Op = dyn_cast<Operator>(V); Op && Op->getOpcode() == Instruction::IntToPtr)
    return address(Op->getOperand(0), At);
  if (auto *Gep = dyn_cast<GEPOperator>(V)) {
    MapVector<Value *, APInt> Variable;
    APInt Constant(64, 0);
    std::optional<z3::expr> Sum;
    if (S.staysInBlocks(*Gep) && Gep->collectOffset(Layout, 64, Variable, Constant))
      Sum = address(Gep->getPointerOperand(), At);
    if (!Sum)
      return std::nullopt;
    Sum = *Sum + number(Constant.getSExtValue());
    for (const auto &[Index, Stride] : Variable)
      Sum = *Sum + value(Index) * number(Stride.getSExtValue());
    return Sum;
  }
  PointerSet Places = S.T.Where.resolve(V);
  const bool Known = isa<GlobalVariable>(V) || isa<AllocaInst>(V);
  if (At && !Known && !isUsedBefore(*V, *At, S.T.Tree))
    return std::nullopt;
  if (S.isAmongBlocks(Places))
    return value(V);
  std::optional<std::int64_t> Begin = Places.size() == 1 ? S.beginOf(*Places[0].Base) : std::nullopt;
  return Begin ? std::optional(number(*Begin) + value(V)) : std::nullopt;
}

/// A pointer's value as another one has it that it leads to: from the beginning of a block, or of all memory.
z3::expr Region::valueAs(const Value *V, const Value &Other) {
  if (!V->getType()->isPointerTy())
    return value(V);
  const PointerSet Mine = S.T.Where.resolve(V), Theirs = S.T.Where.resolve(&Other);
  const bool AmongBlocks = S.isAmongBlocks(Theirs);
  if (AmongBlocks == S.isAmongBlocks(Mine))
    return value(V);
  const PointerSet &Block = AmongBlocks ? Mine : Theirs;
  std::optional<std::int64_t> Begin = Block.size() == 1 ? S.beginOf(*Block[0].Base) : std::nullopt;
  if (!Begin)
    return fresh(V->getType());
  return AmongBlocks ? value(V) + number(*Begin) : value(V) - number(*Begin);
}

/// What is known of where a pointer leads is known wherever it comes from: of a load, where it is done.
void Region::isAtOneOf(const z3::expr &Address, const PointerSet &Places, const LoadInst *Load) {
  if (!S.isAmongBlocks(Places))
    return;
  const std::int64_t Farthest = (1ll << (Apart - 1)) - 1;
  z3::expr Some = Address == 0; // memory that is zero at first is no place
  for (const Pointer &P : Places) {
    const z3::expr Distance = Address - number(*S.beginOf(*P.Base));
    Some = Some ||
           (Distance >= number(std::max(P.Low, -Farthest)) && Distance <= number(std::min(P.High, Farthest)));
  }
  Assumed.push_back(Load ? z3::implies(Reach.at(Load->getParent()), Some) : Some);
}

std::optional<z3::expr> Region::place(const Value &Address, const Origin *Block) {
  const bool IsPointer = Address.getType()->isPointerTy();
  const PointerSet Places = IsPointer ? S.T.Where.resolve(&Address) : S.T.Where.resolveAddress(&Address);
  if (Block && Places.size() == 1 && Places[0].Base == Block)
    return IsPointer ? value(&Address) : distance(Address);
  if (!S.isAmongBlocks(Places))
    return std::nullopt;
  std::optional<z3::expr> Whole = address(&Address, nullptr);
  std::optional<std::int64_t> Begin = Block ? S.beginOf(*Block) : 0;
  return Whole && Begin ? std::optional(*Whole - number(*Begin)) : std::nullopt;
}

/// Of an integer that holds one.
std::optional<z3::expr> Region::addressIn(const Value *V, const Instruction *At) {
  if (isa<LoadInst>(V) || isa<PHINode>(V) || isa<FreezeInst>(V))
    return value(V);
  if (auto *Choice = dyn_cast<SelectInst>(V)) {
    std::optional<z3::expr> Yes = address(Choice->getTrueValue(), At),
                            No = address(Choice->getFalseValue(), At);
    return Yes && No ? std::optional(z3::ite(condition(Choice->getCondition()), *Yes, *No)) : std::nullopt;
  }
  auto *Op = dyn_cast<Operator>(V);
  if (Op && Op->getOpcode() == Instruction::PtrToInt)
    return address(Op->getOperand(0), At);
  auto *C = Op && isa<BinaryOperator>(V) ? dyn_cast<ConstantInt>(Op->getOperand(1)) : nullptr;
  std::optional<z3::expr> From = C ? address(Op->getOperand(0), At) : std::nullopt;
  if (!From)
    return std::nullopt;
  if (Op->getOpcode() == Instruction::Add && C->getValue().abs().ult(1ull << (Apart - 1)))
    return *From + number(C->getSExtValue());
  return marked(*cast<BinaryOperator>(V), *From, C->getZExtValue());
}

/// Marks in the low bits, which are as they are in the distance from the beginning of the block.
std::optional<z3::expr> Region::marked(const BinaryOperator &Op, z3::expr From, std::uint64_t Bits) {
  const bool TakesOff = Op.getOpcode() == Instruction::And;
  if (!TakesOff && Op.getOpcode() != Instruction::Or && Op.getOpcode() != Instruction::Xor)
    return std::nullopt;
  const DataLayout &Layout = S.T.F.getParent()->getDataLayout();
  auto aligned = [&](std::uint64_t Mask) {
    return all_of(S.T.Where.resolveAddress(Op.getOperand(0)),
                  [&](const Pointer &P) { return P.Base->named() && lowBits(P, Mask, Layout).has_value(); });
  };
  auto bit = [&](std::uint64_t Bit) { return z3::mod(From / number(Bit), number(2)); };
  z3::expr Result = From;
  if (TakesOff && aligned(Bits)) { // the mark itself
    Result = number(0);
    for (std::uint64_t Bit = 1; Bit && Bit <= Bits; Bit <<= 1)
      if (Bits & Bit)
        Result = Result + bit(Bit) * number(Bit);
    return Result;
  }
  const std::uint64_t Changed = bitsChanged(Op.getOpcode(), Bits);
  if (!aligned(Changed))
    return std::nullopt;
  for (std::uint64_t Bit = 1; Bit && Bit <= Changed; Bit <<= 1)
    if (Changed & Bit)
      Result = TakesOff                            ? Result - bit(Bit) * number(Bit)
               : Op.getOpcode() == Instruction::Or ? Result + (1 - bit(Bit)) * number(Bit)
                                                   : Result + (1 - 2 * bit(Bit)) * number(Bit);
  return Result;
}

/// Is it one of the addresses that requests carry, or a small number? Nothing: they are not all followed.
std::optional<z3::expr> Region::amongAddresses(const z3::expr &Found) {
  constexpr int Page = 4096; // no address of memory, nor one of as many at the other end
  z3::expr Some = S.Context.bool_val(false);
  for (const Pointer &P : S.Carried) {
    if (P.Base->What == Origin::Kind::Null) {
      Some = Some || (Found >= -Page && Found < Page);
      continue;
    }
    std::optional<std::int64_t> Begin = P.Base->named() ? S.beginOf(*P.Base) : std::nullopt;
    if (!Begin || (!P.exact() && P.Strides.size() != 1))
      return std::nullopt;
    z3::expr At = Found - number(*Begin);
    Some = Some || (P.exact() ? At == number(P.Low)
                              : At == number(P.Zeroed) + fresh("k") * number(P.Strides[0]) &&
                                    At >= number(P.Low) && At <= number(P.High));
  }
  return S.Carried.empty() ? std::nullopt : std::optional(Some);
}

/// What is computed from an address without telling where it is.
z3::expr Region::ofAddress(const Value &V) {
  auto *Op = dyn_cast<BinaryOperator>(&V);
  std::optional<z3::expr> Result = Op ? addressIn(&V, Op) : std::nullopt;
  return Result ? *Result : fresh(V.getType());
}

z3::expr Region::sameAddress(const ICmpInst &Compare) {
  const Value *A = Compare.getOperand(0), *B = Compare.getOperand(1);
  std::optional<z3::expr> First, Second;
  if (Compare.isEquality() && S.isAddress(*A) && S.isAddress(*B))
    First = address(A, &Compare), Second = address(B, &Compare);
  if (!First || !Second)
    return fresh("c") == 1;
  return Compare.getPredicate() == ICmpInst::ICMP_EQ ? *First == *Second : *First != *Second;
}

/// A cell behind a write through an address that may lead to several.
z3::expr Region::reached(const Cell &C, const z3::expr &To, std::int64_t Size, const z3::expr &Stored,
                         const z3::expr &Was) {
  z3::expr Any = fresh(IntegerType::get(S.T.F.getContext(), C.Size * 8));
  std::optional<std::int64_t> Begin = S.beginOf(*C.Base);
  if (!Begin)
    return Any;
  z3::expr First = number(*Begin + C.Low);
  z3::expr Beside = To + number(Size) <= First || To >= First + number(C.Size);
  return z3::ite(Beside, Was, Size == C.Size ? z3::ite(To == First, Stored, Any) : Any);
}

} // namespace rdma::clang_ir
