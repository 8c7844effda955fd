#include "analyzer/clang/memory/Bounds.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/memory/SymbolicAddress.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

enum : unsigned { MostSteps = 20000, DeepestCondition = 16, MostConditions = 64, MostRounds = 64 };

bool isNumber(const Value &V) {
  return V.getType()->isIntegerTy() && V.getType()->getIntegerBitWidth() <= 64;
}
unsigned bitsOf(const Value &V) { return V.getType()->getIntegerBitWidth(); }

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
/// `if (++at > 64) at = 0`.
const BasicBlock *leftThere(const Instruction &Store, const SymbolicAddress &There) {
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
    if (storesThere(*Branch->getSuccessor(Way)) && !storesThere(*Branch->getSuccessor(1 - Way)))
      return Branch->getSuccessor(1 - Way);
  return nullptr;
}

/// Does it go on to where its width ends?
bool isOpen(const StridedInterval &I) {
  const StridedInterval All = StridedInterval::any(I.bits());
  return !I.isNone() && (I.least() == All.least() || I.most() > All.most() - LargestIndex);
}

/// What is counted in the first rounds of a loop.
StridedInterval counted(const SCEVAddRecExpr &Counted, std::uint64_t Rounds, const StridedInterval &Now) {
  auto *First = dyn_cast<SCEVConstant>(Counted.getStart());
  auto *Step = dyn_cast<SCEVConstant>(Counted.getOperand(1));
  if (!First || !Step || First->getAPInt().getSignificantBits() > 32 ||
      Step->getAPInt().getSignificantBits() > 32)
    return Now;
  const std::int64_t Begin = First->getAPInt().getSExtValue();
  const std::int64_t End = Begin + Step->getAPInt().getSExtValue() * static_cast<std::int64_t>(Rounds - 1);
  return Now.within(StridedInterval::between(Now.bits(), std::min(Begin, End), std::max(Begin, End)).range());
}

/// All numbers that fit in a width that others are made narrower from.
ConstantRange imageOf(const CastInst &Wider) {
  const unsigned From = Wider.getSrcTy()->getIntegerBitWidth();
  const ConstantRange All = ConstantRange::getFull(From);
  const unsigned To = Wider.getDestTy()->getIntegerBitWidth();
  return isa<ZExtInst>(Wider) ? All.zeroExtend(To) : All.signExtend(To);
}

/// The factor that a number is multiplied by, without wrapping.
std::optional<std::int64_t> factorOf(const BinaryOperator &I) {
  auto *Number = dyn_cast<ConstantInt>(I.getOperand(1));
  auto *NoWrap = dyn_cast<OverflowingBinaryOperator>(&I);
  if (!Number || !NoWrap || !NoWrap->hasNoSignedWrap() || Number->getValue().getActiveBits() > 30)
    return std::nullopt;
  if (I.getOpcode() == Instruction::Shl && Number->getZExtValue() < 30)
    return std::int64_t(1) << Number->getZExtValue();
  return I.getOpcode() == Instruction::Mul && Number->getZExtValue() > 0
             ? std::optional<std::int64_t>(Number->getZExtValue())
             : std::nullopt;
}

/// Is it a number that the tested one is computed of, and nothing else but constants?
bool isMadeOf(const Value &Tested, function_ref<bool(const Value &)> Is) {
  constexpr unsigned Deepest = 16;
  const Value *V = &Tested;
  for (unsigned Depth = 0; Depth < Deepest; ++Depth) {
    if (isa<Constant>(V) || Is(*V))
      return !isa<Constant>(V);
    auto *I = dyn_cast<Instruction>(V);
    if (!I ||
        !(isa<CastInst, FreezeInst>(I) || (isa<BinaryOperator>(I) && isa<ConstantInt>(I->getOperand(1)))))
      return false;
    V = I->getOperand(0);
  }
  return false;
}

/// The numbers of which so many times each is in the range, with a sign.
ConstantRange divided(const ConstantRange &Range, std::int64_t By) {
  const unsigned Bits = Range.getBitWidth();
  if (Range.isEmptySet() || Range.isFullSet())
    return Range;
  auto floor = [&](std::int64_t N) { return N >= 0 ? N / By : -((-N + By - 1) / By); };
  const std::int64_t Low = Range.getSignedMin().getSExtValue(), High = Range.getSignedMax().getSExtValue();
  if (Low == std::numeric_limits<std::int64_t>::min())
    return ConstantRange::getFull(Bits);
  const std::int64_t First = -floor(-Low), Last = floor(High);
  return First > Last ? ConstantRange::getEmpty(Bits)
                      : ConstantRange::getNonEmpty(APInt(Bits, First, true), APInt(Bits, Last, true) + 1);
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
  if (Steps >= MostSteps || isa<UndefValue>(V))
    return StridedInterval::any(bitsOf(V));
  ++Steps;
  const StridedInterval Anywhere = unrefined(V);
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
  return Disjoint && Disjoint->isDisjoint() ? Left.plus(Right) : Left.computed(I.getOpcode(), Right);
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
      const BasicBlock *Left = leftThere(*N.StoredBy, There);
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

/// Where ways meet: what it may be on any. Around a loop, what it was before goes into it.
StridedInterval Bounds::merged(const PHINode &Phi) {
  auto step = [&] {
    StridedInterval All = StridedInterval::none(bitsOf(Phi));
    for (unsigned Way = 0; Way < Phi.getNumIncomingValues(); ++Way)
      All = All.joined(elsewhere({Phi.getIncomingBlock(Way)->getTerminator(), Phi.getParent()},
                                 [&] { return of(*Phi.getIncomingValue(Way)); }));
    return All;
  };
  if (Facts.Loops.isLoopHeader(Phi.getParent()))
    return solved(Phi, step);
  // Of a loop with two entries nothing is known.
  const auto [Found, New] = Merged.try_emplace(&Phi, StridedInterval::any(bitsOf(Phi)));
  if (!New)
    return Found->second;
  const StridedInterval All = step();
  return Merged.insert_or_assign(&Phi, All).first->second;
}

/// What no step leads out of: found from nothing on, up to the numbers that tests stop it at. Where those let
/// it go on and on, and a loop makes few rounds: as far as so many steps lead.
StridedInterval Bounds::solved(const Instruction &Key, function_ref<StridedInterval()> Step) {
  constexpr unsigned Some = 256;
  std::vector<StridedInterval> After;
  auto follow = [&](unsigned Exactly, unsigned Most) {
    StridedInterval Now = StridedInterval::none(bitsOf(Key));
    for (unsigned Round = 0; Round < Most; ++Round) {
      Open.insert_or_assign(&Key, Now);
      Merged.clear();
      const StridedInterval Next = Now.joined(Step());
      if (Next == Now)
        return Now;
      Now = Round < Exactly ? Next : widened(Now, Next);
      After.push_back(Now);
    }
    return Exactly == Most ? Now : StridedInterval::any(Now.bits());
  };
  AfterRounds.erase(&Key);
  StridedInterval Found = follow(2, MostRounds);
  const Loop *L = isa<PHINode>(Key) ? Facts.Loops.getLoopFor(Key.getParent()) : nullptr;
  const unsigned Rounds =
      L && L->getHeader() == Key.getParent() ? Facts.Evolution.getSmallConstantMaxTripCount(L) : 0;
  if (isOpen(Found) && Rounds > 0 && Rounds <= Some) {
    After.clear();
    Found = follow(Rounds, Rounds);
    AfterRounds[&Key] = std::move(After);
  }
  Open.erase(&Key);
  Merged.clear();
  // What other loops' numbers that are not final went into is no final one.
  if (Open.empty())
    Known.insert_or_assign(&Key, Found);
  return Found;
}

/// In a loop, behind an end of it that is taken in a round that is known: in the rounds before that one.
StridedInterval Bounds::inRounds(const Value &V, StridedInterval Now) {
  const BasicBlock *Block = Here.At->getParent();
  const SCEV *Evolved = Facts.Evolution.getSCEV(const_cast<Value *>(&V));
  auto *Counted = dyn_cast<SCEVAddRecExpr>(Evolved);
  auto *Key = dyn_cast<PHINode>(&V);
  const auto Each = Key ? AfterRounds.find(Key) : AfterRounds.end();
  const Loop *L = Counted                     ? Counted->getLoop()
                  : Each != AfterRounds.end() ? Facts.Loops.getLoopFor(Key->getParent())
                                              : nullptr;
  if (!L || !L->contains(Block) || (Counted && !Counted->isAffine()))
    return Now;
  SmallVector<BasicBlock *, 4> Ends;
  L->getExitingBlocks(Ends);
  for (const BasicBlock *End : Ends) {
    auto *Passed = dyn_cast<SCEVConstant>(Facts.Evolution.getExitCount(L, End));
    const bool IsBehind = any_of(successors(End), [&](const BasicBlock *Next) {
      return L->contains(Next) &&
             (Facts.Tree.dominates(BasicBlockEdge(End, Next), Block) || (End == Block && Next == Here.Into));
    });
    if (!Passed || !IsBehind || Passed->getAPInt().ugt(LargestIndex))
      continue;
    const std::uint64_t Rounds = Passed->getAPInt().getZExtValue();
    if (Each != AfterRounds.end() && Rounds > 0 && Rounds <= Each->second.size())
      Now = Now.within(Each->second[Rounds - 1].range());
    if (Counted && Rounds > 0)
      Now = counted(*Counted, Rounds, Now);
  }
  return Now;
}

/// As far as the next number at which a test may stop it, or as far as it can.
StridedInterval Bounds::widened(const StridedInterval &Now, const StridedInterval &Next) const {
  const StridedInterval All = StridedInterval::any(Now.bits());
  std::int64_t Least = Next.least(), Most = Next.most();
  if (Most > Now.most()) {
    auto End = Ends.lower_bound(Most);
    Most = End == Ends.end() ? All.most() : std::min(*End, All.most());
  }
  if (Least < Now.least()) {
    auto End = Ends.upper_bound(Least);
    Least = End == Ends.begin() ? All.least() : std::max(*std::prev(End), All.least());
  }
  return Next.spreadTo(Least, Most);
}

/// By the conditions that lead to the place at hand.
StridedInterval Bounds::refined(StridedInterval Now, Same Is) {
  for (const auto &[Condition, Holds] : Here.Given)
    Now = assumed(*Condition, Holds, Now, Is);
  auto passed = [&](const BasicBlock &From, const BasicBlock &To) {
    auto *Branch = dyn_cast<BranchInst>(From.getTerminator());
    if (Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1))
      Now = assumed(*Branch->getCondition(), Branch->getSuccessor(0) == &To, Now, Is);
  };
  const BasicBlock *Block = Here.At->getParent();
  if (Here.Into)
    passed(*Block, *Here.Into);
  const DomTreeNode *Node = Facts.Tree.getNode(Block);
  for (unsigned Count = 0; Node && Node->getIDom() && Count < MostConditions && !Now.isNone(); ++Count) {
    Node = Node->getIDom();
    const BasicBlock *From = Node->getBlock();
    for (const BasicBlock *To : successors(From))
      if (Facts.Tree.dominates(BasicBlockEdge(From, To), Block))
        passed(*From, *To);
  }
  return Now;
}

StridedInterval Bounds::assumed(const Value &Condition, bool Holds, StridedInterval Now, Same Is,
                                unsigned Depth) {
  const Value *Left = nullptr, *Right = nullptr;
  if (Depth > DeepestCondition || Now.isNone())
    return Now;
  if (match(&Condition, m_Not(m_Value(Left))))
    return assumed(*Left, !Holds, Now, Is, Depth + 1);
  if (match(&Condition, m_Freeze(m_Value(Left))))
    return assumed(*Left, Holds, Now, Is, Depth + 1);
  const bool And = match(&Condition, m_LogicalAnd(m_Value(Left), m_Value(Right)));
  if (And || match(&Condition, m_LogicalOr(m_Value(Left), m_Value(Right)))) {
    const StridedInterval One = assumed(*Left, Holds, Now, Is, Depth + 1);
    return And == Holds ? assumed(*Right, Holds, One, Is, Depth + 1)
                        : One.joined(assumed(*Right, Holds, Now, Is, Depth + 1));
  }
  auto *Test = dyn_cast<ICmpInst>(&Condition);
  return Test && isNumber(*Test->getOperand(0)) ? compared(*Test, Holds, Now, Is) : Now;
}

StridedInterval Bounds::compared(const ICmpInst &Test, bool Holds, StridedInterval Now, Same Is) {
  if (!Asking.insert(&Test).second)
    return Now;
  auto Predicate = Holds ? Test.getPredicate() : Test.getInversePredicate();
  for (const unsigned Side : {0, 1}) {
    const Value &Tested = *Test.getOperand(Side), &Limit = *Test.getOperand(1 - Side);
    if (isMadeOf(Tested, Is)) {
      const StridedInterval Other = of(Limit);
      const ConstantRange Allowed = ConstantRange::makeAllowedICmpRegion(Predicate, Other.range());
      if (const auto Left = behind(Tested, Allowed, Now, Is)) {
        for (const APInt &End :
             {Left->getLower() - 1, Left->getLower(), Left->getUpper() - 1, Left->getUpper()})
          Ends.insert(End.getSExtValue());
        Now = Now.within(*Left);
      }
    }
    Predicate = ICmpInst::getSwappedPredicate(Predicate);
  }
  Asking.erase(&Test);
  return Now;
}

/// What the number behind the tested one can be, where that is in a range; nothing: it says nothing of it.
std::optional<ConstantRange> Bounds::behind(const Value &Tested, const ConstantRange &Allowed,
                                            const StridedInterval &Now, Same Is) {
  if (Is(Tested))
    return Allowed;
  auto *I = dyn_cast<Instruction>(&Tested);
  if (!I)
    return std::nullopt;
  const Value &Of = *I->getOperand(0);
  if (isa<FreezeInst>(I))
    return behind(Of, Allowed, Now, Is);
  if (isa<ZExtInst, SExtInst>(I))
    return behind(Of, Allowed.intersectWith(imageOf(cast<CastInst>(*I))).truncate(bitsOf(Of)), Now, Is);
  if (isa<TruncInst>(I)) {
    if (!isNumber(Of) || !Is(Of) || Now.least() < 0 || Now.most() >> (bitsOf(*I) - 1) > 1)
      return std::nullopt;
    return Allowed.zeroExtend(bitsOf(Of));
  }
  auto *Binary = dyn_cast<BinaryOperator>(I);
  auto *Number = Binary ? dyn_cast<ConstantInt>(Binary->getOperand(1)) : nullptr;
  if (!Number)
    return std::nullopt;
  auto *Disjoint = dyn_cast<PossiblyDisjointInst>(Binary);
  if (Binary->getOpcode() == Instruction::Add || (Disjoint && Disjoint->isDisjoint()))
    return behind(Of, Allowed.subtract(Number->getValue()), Now, Is);
  if (Binary->getOpcode() == Instruction::Sub)
    return behind(Of, Allowed.subtract(-Number->getValue()), Now, Is);
  if (const auto Factor = factorOf(*Binary))
    return behind(Of, divided(Allowed, *Factor), Now, Is);
  return std::nullopt;
}

} // namespace rdma::clang_ir
