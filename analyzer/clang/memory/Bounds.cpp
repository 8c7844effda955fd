#include "analyzer/clang/memory/Bounds.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/memory/SymbolicAddress.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

enum : unsigned { MostSteps = 20000, Deepest = 500 };

/// The same computed twice, of the same.
bool isComputedAlike(const Value &A, const Value &B) {
  auto *Left = dyn_cast<Instruction>(&A);
  auto *Right = dyn_cast<Instruction>(&B);
  return Left && Right && Left->isIdenticalTo(Right) && !Left->mayReadOrWriteMemory() && !isa<PHINode>(Left);
}

SymbolicAddress placeOf(const Value &Address, const Instruction &In) {
  return symbolicAddress(&Address, In.getModule()->getDataLayout());
}

/// Is there nothing that writes between the one and the other, which come on each way there in this order?
/// What is no atomic access is taken to change by nobody else's hand, as compilers do.
bool isUnwritten(const Instruction &First, const Instruction &Last) {
  constexpr unsigned MostBetween = 256;
  const BasicBlock *Block = Last.getParent();
  const Instruction *I = &Last;
  for (unsigned Count = 0; Count < MostBetween; ++Count) {
    I = I->getPrevNode();
    if (!I) {
      Block = Block->getSinglePredecessor();
      if (!Block || Block == Last.getParent())
        return false;
      I = Block->getTerminator();
    }
    if (I == &First)
      return true;
    if (I->mayWriteToMemory())
      return false;
  }
  return false;
}

/// Where what is stored is left there, if a test straight behind it leads to another store there else:
/// `if (++at > 64) at = 0`. Who reads it where that other store is may do so before it.
const BasicBlock *leftThere(const Instruction &Store, const SymbolicAddress &There, const LoadInst &Read) {
  auto *Branch = dyn_cast<BranchInst>(Store.getParent()->getTerminator());
  auto storesThere = [&](const BasicBlock &Block) {
    return Block.getSinglePredecessor() && any_of(Block, [&](const Instruction &I) {
             auto *Other = dyn_cast<StoreInst>(&I);
             return Other && distance(placeOf(*Other->getPointerOperand(), I), There) == 0;
           });
  };
  if (!Branch || !Branch->isConditional())
    return nullptr;
  for (const unsigned Way : {0, 1})
    if (const BasicBlock *Again = Branch->getSuccessor(Way), *Left = Branch->getSuccessor(1 - Way);
        storesThere(*Again) && !storesThere(*Left))
      return Read.getParent() == Again ? nullptr : Left;
  return nullptr;
}

} // namespace

StridedInterval Bounds::of(const Value &V, const Instruction &Where) {
  Steps = 0;
  Known.clear();
  Merged.clear();
  return elsewhere({&Where}, [&] { return of(V); });
}

StridedInterval Bounds::elsewhere(Place There, function_ref<StridedInterval()> Find) {
  std::swap(Here, There);
  const StridedInterval Found = Find();
  std::swap(Here, There);
  return Found;
}

StridedInterval Bounds::of(const Value &V) {
  if (auto *Number = dyn_cast<ConstantInt>(&V); Number && Number->getBitWidth() <= 64)
    return StridedInterval::one(Number->getValue());
  if (!isNumber(V))
    return StridedInterval::any(64);
  if (Steps >= MostSteps || Depth >= Deepest || isa<UndefValue>(V))
    return StridedInterval::any(bitsOf(V));
  ++Steps;
  ++Depth;
  const StridedInterval Anywhere = unrefined(V);
  --Depth;
  if (isa<Constant>(V) || Anywhere.isNone())
    return Anywhere;
  StridedInterval Found = inRounds(V, Anywhere);
  auto *Number = const_cast<Value *>(&V);
  auto *At = const_cast<Instruction *>(Here.At);
  auto *Into = const_cast<BasicBlock *>(Here.Into);
  Found = Found.within(Into ? Facts.Ranges.getConstantRangeOnEdge(Number, At->getParent(), Into, At)
                            : Facts.Ranges.getConstantRange(Number, At, false));
  return refined(Found, [&](const Value &Other) { return &Other == &V || isComputedAlike(Other, V); });
}

/// Wherever it is used.
StridedInterval Bounds::unrefined(const Value &V) {
  auto *I = dyn_cast<Instruction>(&V);
  if (!I)
    return StridedInterval::any(bitsOf(V));
  if (auto Found = Open.find(I); Found != Open.end())
    return Found->second;
  if (auto Found = Known.find(I); Found != Known.end())
    return Found->second;
  StridedInterval Found = computed(*I);
  if (!Facts.Evolution.isSCEVable(I->getType()))
    return Found;
  const SCEV *Evolved = Facts.Evolution.getSCEV(const_cast<Instruction *>(I));
  return Found.within(Facts.Evolution.getSignedRange(Evolved))
      .within(Facts.Evolution.getUnsignedRange(Evolved));
}

StridedInterval Bounds::computed(const Instruction &I) {
  const unsigned Bits = bitsOf(I);
  switch (I.getOpcode()) {
  case Instruction::ZExt:
    return of(*I.getOperand(0)).zeroExtended(Bits);
  case Instruction::SExt:
    return of(*I.getOperand(0)).signExtended(Bits);
  case Instruction::Trunc:
    return isNumber(*I.getOperand(0)) ? of(*I.getOperand(0)).truncated(Bits) : StridedInterval::any(Bits);
  case Instruction::Freeze:
    return of(*I.getOperand(0));
  case Instruction::Select:
    return chosen(cast<SelectInst>(I));
  case Instruction::PHI:
    return merged(cast<PHINode>(I));
  case Instruction::Load:
    return loaded(cast<LoadInst>(I));
  case Instruction::Call:
  case Instruction::Invoke:
    return returned(cast<CallBase>(I));
  default:
    return isa<BinaryOperator>(I) ? binary(cast<BinaryOperator>(I)) : StridedInterval::any(Bits);
  }
}

StridedInterval Bounds::binary(const BinaryOperator &I) {
  const StridedInterval Left = of(*I.getOperand(0)), Right = of(*I.getOperand(1));
  auto *Disjoint = dyn_cast<PossiblyDisjointInst>(&I);
  if (Disjoint && Disjoint->isDisjoint())
    return Left.plus(Right);
  // Signed overflow does not happen in a program that has a meaning.
  auto *Wraps = dyn_cast<OverflowingBinaryOperator>(&I);
  if (I.getOpcode() == Instruction::Add && Wraps->hasNoSignedWrap())
    return Left.plus(Right, /*Stops=*/true);
  return Left.computed(I.getOpcode(), Right);
}

StridedInterval Bounds::chosen(const SelectInst &Choice) {
  StridedInterval All = StridedInterval::none(bitsOf(Choice));
  for (const bool Holds : {true, false}) {
    Here.Given.emplace_back(Choice.getCondition(), Holds);
    All = All.joined(of(Holds ? *Choice.getTrueValue() : *Choice.getFalseValue()));
    Here.Given.pop_back();
  }
  return All;
}

/// What reads or writes may do so with all that it is asked for. A library's function tells of a failure by
/// -1, and what gives a length by 0.
StridedInterval Bounds::returned(const CallBase &Call) {
  const unsigned Bits = bitsOf(Call);
  if (auto *Choice = dyn_cast<IntrinsicInst>(&Call);
      Choice && ConstantRange::isIntrinsicSupported(Choice->getIntrinsicID())) {
    SmallVector<ConstantRange, 2> Operands;
    for (const Value *V : Choice->args())
      if (const StridedInterval Found = of(*V); Found.isNone())
        return StridedInterval::none(Bits);
      else
        Operands.push_back(Found.range());
    return StridedInterval::of(ConstantRange::intrinsic(Choice->getIntrinsicID(), Operands));
  }
  const Function *Callee = calledFunction(Call);
  if (isa<IntrinsicInst>(Call) || !Callee || !(Callee->isDeclaration() || rowOf(Call)))
    return StridedInterval::any(Bits);
  const bool IsLength = givesLength(Callee->getName());
  if (const auto Limit = resultLimit(Call)) {
    const StridedInterval Most = of(*Limit->Most);
    return Most.isNone()       ? StridedInterval::none(Bits)
           : Most.least() >= 0 ? StridedInterval::between(Bits, IsLength ? 0 : -1, Most.most())
                               : StridedInterval::any(Bits);
  }
  return IsLength ? StridedInterval::any(Bits).within(
                        ConstantRange(APInt::getZero(Bits), APInt::getSignedMinValue(Bits)))
                  : StridedInterval::any(Bits);
}

/// The numbers of a table of constants, where the index may be.
StridedInterval Bounds::inTable(const LoadInst &Load) {
  const StridedInterval Any = StridedInterval::any(bitsOf(Load));
  auto *Table = dyn_cast<GlobalVariable>(getUnderlyingObject(Load.getPointerOperand()));
  auto *Numbers = Table && Table->isConstant() && Table->hasDefinitiveInitializer()
                      ? dyn_cast<ConstantDataArray>(Table->getInitializer())
                      : nullptr;
  if (!Numbers || Numbers->getElementType() != Load.getType())
    return Any;
  auto *Gep = dyn_cast<GEPOperator>(Load.getPointerOperand());
  const bool IsElement =
      Gep && Gep->getPointerOperand() == Table && Gep->getResultElementType() == Load.getType();
  const StridedInterval At =
      IsElement ? of(*Gep->getOperand(Gep->getNumOperands() - 1)) : StridedInterval::any(64);
  const std::int64_t First = std::max<std::int64_t>(At.least(), 0);
  const std::int64_t Last = std::min<std::int64_t>(At.most(), Numbers->getNumElements() - 1);
  StridedInterval All = StridedInterval::none(Any.bits());
  for (std::int64_t I = First; I <= Last; ++I)
    All = All.joined(StridedInterval::one(Numbers->getElementAsAPInt(I)));
  return All.isNone() && !At.isNone() ? Any : All;
}

/// What is read back is what was put there, as far as that is known.
StridedInterval Bounds::loaded(const LoadInst &Load) {
  if (isWorkId(Load))
    return WithoutWorkIds ? StridedInterval::none(bitsOf(Load)) : StridedInterval::any(bitsOf(Load));
  if (const StridedInterval Table = inTable(Load); !Table.isAny())
    return Table;
  const HeldNumbers Numbers = Held ? Held(Load) : HeldNumbers{};
  return solved(Load, [&] { return stored(Numbers, Load); });
}

/// ... and as the tests on the way say of what was read from there since.
StridedInterval Bounds::stored(const HeldNumbers &Numbers, const LoadInst &Load) {
  const SymbolicAddress There = placeOf(*Load.getPointerOperand(), Load);
  auto reads = [&](const LoadInst &Other) {
    return Other.isSimple() && Other.getType() == Load.getType() &&
           distance(placeOf(*Other.getPointerOperand(), Load), There) == 0;
  };
  const unsigned Bits = bitsOf(Load);
  StridedInterval All = Numbers.All ? StridedInterval::none(Bits) : StridedInterval::any(Bits);
  for (const HeldNumber &N : Numbers.Known)
    if (!N.V) {
      All = All.joined(StridedInterval::one(APInt(Bits, N.Constant, true)));
    } else if (!N.StoredBy) {
      return StridedInterval::any(Bits);
    } else {
      const BasicBlock *Left = leftThere(*N.StoredBy, There, Load);
      auto isReadBack = [&](const Value &V) {
        auto *Other = dyn_cast<LoadInst>(&V);
        return Other && reads(*Other) && isUnwritten(*N.StoredBy, *Other);
      };
      All = All.joined(elsewhere({Left ? N.StoredBy->getParent()->getTerminator() : N.StoredBy, Left},
                                 [&] { return refined(of(*N.V), isReadBack); }));
    }
  auto isUnchanged = [&](const Value &V) {
    auto *Other = dyn_cast<LoadInst>(&V);
    if (!Other || Other == &Load || !reads(*Other))
      return false;
    return (Load.isSimple() && isUnwritten(*Other, Load)) ||
           (Numbers.All && all_of(Numbers.Known, [&](const HeldNumber &N) {
              return !N.StoredBy || Facts.Tree.dominates(N.StoredBy, Other);
            }));
  };
  return elsewhere({&Load}, [&] { return refined(All, isUnchanged); });
}

} // namespace rdma::clang_ir
