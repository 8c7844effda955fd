// Integers of the program as formulas. An integer of w bits is between -2^(w-1) and 2^(w-1) - 1; a pointer is
// its distance from the beginning of the one block that it points into, and where it may point into one of
// several, the place where that one lies and the distance (Addresses.cpp).
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/counts/Region.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Sums and stores of it only: elsewhere the address itself matters, not the distance in its block.
bool onlyMoved(const Value &Address) {
  return all_of(Address.users(), [](const User *U) {
    auto *Op = dyn_cast<BinaryOperator>(U);
    return isa<StoreInst>(U) || (Op && Op->getOpcode() == Instruction::Add && onlyMoved(*Op));
  });
}

const ConstantInt *constant(const Value *V) {
  auto *Number = dyn_cast<ConstantInt>(V);
  return Number && Number->getBitWidth() <= 64 ? Number : nullptr;
}

} // namespace

z3::expr powerOfTwo(z3::context &C, unsigned Bits) {
  return C.int_val(Bits >= 64 ? "18446744073709551616" : std::to_string(1ull << Bits).c_str());
}

z3::expr fits(const z3::expr &E, unsigned Bits) {
  if (Bits == 1)
    return E >= 0 && E <= 1;
  const z3::expr Half = powerOfTwo(E.ctx(), Bits - 1);
  return E >= -Half && E < Half;
}

/// The residue that the type holds, when E is out of its range.
z3::expr Region::wrap(const z3::expr &E, unsigned Bits) {
  if (E.is_numeral())
    if (std::int64_t N = 0;
        E.is_numeral_i64(N) && (Bits == 64 || (N >= -(1ll << (Bits - 1)) && N < 1ll << (Bits - 1))))
      return E;
  z3::context &C = E.ctx();
  z3::expr Half = powerOfTwo(C, Bits - 1), Full = powerOfTwo(C, Bits);
  return z3::ite(E >= -Half && E < Half, E, z3::mod(E + Half, Full) - Half);
}

z3::expr Region::asUnsigned(const z3::expr &E, unsigned Bits) {
  if (std::int64_t N = 0; E.is_numeral() && E.is_numeral_i64(N) && N >= 0)
    return E;
  return z3::ite(E >= 0, E, E + powerOfTwo(E.ctx(), Bits));
}

z3::expr Region::fresh(const char *Name) {
  return S.Context.int_const((Name + std::to_string(Fresh++)).c_str());
}

z3::expr Region::fresh(const Type *Type) {
  z3::expr E = fresh("v");
  if (Type->isIntegerTy() && Type->getIntegerBitWidth() <= 64)
    Assumed.push_back(fits(E, Type->getIntegerBitWidth()));
  return E;
}

/// Is it computed before the region, of what that has not changed since? Whoever comes from an operand to
/// the region comes past what dominates it.
bool Region::madeBefore(const Instruction *I) const {
  return I && Start && isa<GetElementPtrInst, SExtInst, ZExtInst>(I) && !Members.count(I->getParent()) &&
         S.T.Tree.dominates(I->getParent(), Start);
}

z3::expr Region::value(const Value *V) {
  if (auto Found = Values.find(V); Found != Values.end())
    return Found->second;
  if (auto *Number = constant(V))
    return number(Number->getBitWidth() == 1 ? Number->getZExtValue() : Number->getSExtValue());
  if (V->getType()->isPointerTy())
    if (PointerSet Places = S.T.Where.resolve(V);
        Places.size() == 1 && Places[0].exact() && Places[0].Base->named())
      return number(Places[0].Low);
  auto *I = dyn_cast<Instruction>(V);
  bool Inside = I && Members.count(I->getParent()) && !(isa<PHINode>(I) && I->getParent() == Start);
  z3::expr Result = S.Context.int_val(0);
  if ((Inside || isa<Constant>(V) || madeBefore(I)) && Open.insert(V).second) {
    Result = compute(V);
    Open.erase(V);
  } else if (Inside) {
    // Made of itself: a loop that no cut opens, because it is entered in several places.
    Acyclic = false;
    return fresh(V->getType());
  } else {
    Result = fresh(V->getType());
    if (V->getType()->isPointerTy())
      isAtOneOf(Result, S.T.Where.resolve(V));
    Before.push_back(V);
  }
  Values.insert_or_assign(V, Result);
  return Result;
}

z3::expr Region::valueAt(const Exit &E, const Value *V) {
  auto *Phi = dyn_cast<PHINode>(V);
  return Phi && Phi->getParent() == E.To ? valueAs(Phi->getIncomingValueForBlock(E.From), *Phi) : value(V);
}

z3::expr Region::compute(const Value *V) {
  if (V->getType()->isPointerTy())
    return ofPointer(V);
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64 || isa<Constant>(V))
    return fresh(V->getType());
  unsigned Bits = V->getType()->getIntegerBitWidth();
  if (auto *Phi = dyn_cast<PHINode>(V))
    return ofPhi(*Phi);
  if (Bits == 1)
    return z3::ite(condition(V), number(1), number(0));
  // A sum is what it is of the distances of pointers, too.
  auto *I = dyn_cast<Instruction>(V);
  if (I && I->getOpcode() != Instruction::Add && !isa<PHINode, LoadInst, SelectInst, PtrToIntInst>(I) &&
      any_of(I->operands(), [&](const Use &U) { return U->getType()->isIntegerTy() && S.isAddress(*U); }))
    return ofAddress(*V);
  if (auto *Op = dyn_cast<BinaryOperator>(V))
    return binary(*Op);
  if (auto *Choice = dyn_cast<SelectInst>(V))
    return z3::ite(condition(Choice->getCondition()), value(Choice->getTrueValue()),
                   value(Choice->getFalseValue()));
  if (auto *Same = dyn_cast<FreezeInst>(V))
    return value(Same->getOperand(0));
  if (auto *Address = dyn_cast<PtrToIntInst>(V); Address && onlyMoved(*V))
    return value(Address->getPointerOperand());
  if (auto *Cast = dyn_cast<CastInst>(V); Cast && Cast->getSrcTy()->isIntegerTy()) {
    unsigned From = Cast->getSrcTy()->getIntegerBitWidth();
    z3::expr Inner = value(Cast->getOperand(0));
    if (isa<TruncInst>(Cast))
      return wrap(Inner, Bits);
    if (isa<ZExtInst>(Cast))
      return From == 1 ? Inner : asUnsigned(Inner, From);
    return From == 1 ? -Inner : Inner;
  }
  if (auto *Call = dyn_cast<IntrinsicInst>(V))
    return ofIntrinsic(*Call);
  if (auto *Call = dyn_cast<CallBase>(V))
    return ofCall(*Call);
  return fresh(V->getType());
}

/// Bits that stand together; anything, where there are more than that.
z3::expr Region::masked(const z3::expr &E, const APInt &Mask) {
  const unsigned Lowest = Mask.countr_zero(), Count = Mask.popcount(), Bits = Mask.getBitWidth();
  if (!Mask.isShiftedMask())
    return fresh(IntegerType::get(S.T.F.getContext(), Bits));
  if (Lowest + Count == Bits) // also the sign's
    return Lowest ? E - z3::mod(E, powerOfTwo(S.Context, Lowest)) : E;
  const z3::expr Above = Lowest ? E / powerOfTwo(S.Context, Lowest) : E;
  const z3::expr Low = z3::mod(Above, powerOfTwo(S.Context, Count));
  return Lowest ? Low * powerOfTwo(S.Context, Lowest) : Low;
}

z3::expr Region::binary(const BinaryOperator &Op) {
  const unsigned Bits = Op.getType()->getIntegerBitWidth();
  auto *C = constant(Op.getOperand(1));
  auto *Wraps = dyn_cast<OverflowingBinaryOperator>(&Op);
  // Signed overflow does not happen in a program that has a meaning.
  auto exact = [&](z3::expr E) { return Wraps && Wraps->hasNoSignedWrap() ? E : wrap(E, Bits); };
  // A sum is out of range by one round at most.
  auto once = [&](z3::expr E) {
    z3::expr Half = powerOfTwo(S.Context, Bits - 1), Full = powerOfTwo(S.Context, Bits);
    return Wraps && Wraps->hasNoSignedWrap() ? E
                                             : z3::ite(E >= Half, E - Full, z3::ite(E < -Half, E + Full, E));
  };
  switch (Op.getOpcode()) {
  case Instruction::Add:
    return once(value(Op.getOperand(0)) + value(Op.getOperand(1)));
  case Instruction::Sub:
    return once(value(Op.getOperand(0)) - value(Op.getOperand(1)));
  case Instruction::Mul:
    if (C || constant(Op.getOperand(0)))
      return exact(value(Op.getOperand(0)) * value(Op.getOperand(1)));
    break;
  case Instruction::Shl:
    if (C && C->getZExtValue() < Bits)
      return exact(value(Op.getOperand(0)) * powerOfTwo(S.Context, C->getZExtValue()));
    break;
  case Instruction::URem:
    if (C && C->getSExtValue() > 0)
      return z3::mod(asUnsigned(value(Op.getOperand(0)), Bits), number(C->getSExtValue()));
    if (!C)
      return once(
          remainder(asUnsigned(value(Op.getOperand(0)), Bits), asUnsigned(value(Op.getOperand(1)), Bits)));
    break;
  case Instruction::SRem:
    if (!C) {
      z3::expr A = value(Op.getOperand(0)), M = value(Op.getOperand(1));
      return z3::ite(A >= 0 && M > 0, remainder(A, M), fresh(Op.getType()));
    }
    if (C && C->getSExtValue() > 0) {
      z3::expr A = value(Op.getOperand(0)), M = number(C->getSExtValue());
      return z3::ite(A >= 0, z3::mod(A, M), -z3::mod(-A, M));
    }
    break;
  case Instruction::UDiv:
    if (C && C->getSExtValue() > 0)
      return wrap(asUnsigned(value(Op.getOperand(0)), Bits) / number(C->getSExtValue()), Bits);
    break;
  case Instruction::SDiv:
    if (C && C->getSExtValue() > 0) {
      z3::expr A = value(Op.getOperand(0)), M = number(C->getSExtValue());
      return z3::ite(A >= 0, A / M, -(-A / M));
    }
    break;
  case Instruction::LShr:
    if (C && C->getZExtValue() < Bits)
      return wrap(asUnsigned(value(Op.getOperand(0)), Bits) / powerOfTwo(S.Context, C->getZExtValue()), Bits);
    break;
  case Instruction::AShr:
    if (C && C->getZExtValue() < Bits)
      return value(Op.getOperand(0)) / powerOfTwo(S.Context, C->getZExtValue());
    break;
  case Instruction::And:
    if (C)
      return masked(value(Op.getOperand(0)), C->getValue());
    break;
  case Instruction::Xor: {
    if (C && C->isMinusOne())
      return -value(Op.getOperand(0)) - 1;
    if (C && C->getValue().isPowerOf2() && !C->getValue().isSignMask()) {
      z3::expr A = value(Op.getOperand(0)), Bit = powerOfTwo(S.Context, C->getValue().logBase2());
      return z3::ite(z3::mod(A / Bit, number(2)) == 1, A - Bit, A + Bit);
    }
    break;
  }
  case Instruction::Or:
    if (C && C->getValue().isPowerOf2() && !C->getValue().isSignMask()) {
      z3::expr A = value(Op.getOperand(0)), Bit = powerOfTwo(S.Context, C->getValue().logBase2());
      return z3::ite(z3::mod(A / Bit, number(2)) == 1, A, A + Bit);
    }
    if (haveNoCommonBitsSet(Op.getOperand(0), Op.getOperand(1), SimplifyQuery(S.T.F.getDataLayout(), &Op)))
      return value(Op.getOperand(0)) + value(Op.getOperand(1));
    if (!C) {
      z3::expr Both = fresh(Op.getType());
      Assumed.push_back((Both == 0) == (value(Op.getOperand(0)) == 0 && value(Op.getOperand(1)) == 0));
      return Both;
    }
    break;
  default:
    break;
  }
  return fresh(Op.getType());
}

z3::expr Region::ofIntrinsic(const IntrinsicInst &Call) {
  Intrinsic::ID Id = Call.getIntrinsicID();
  if (Id != Intrinsic::umin && Id != Intrinsic::umax && Id != Intrinsic::smin && Id != Intrinsic::smax)
    return fresh(Call.getType());
  z3::expr A = value(Call.getArgOperand(0)), B = value(Call.getArgOperand(1));
  unsigned Bits = Call.getType()->getIntegerBitWidth();
  bool Unsigned = Id == Intrinsic::umin || Id == Intrinsic::umax;
  z3::expr Less = Unsigned ? asUnsigned(A, Bits) < asUnsigned(B, Bits) : A < B;
  return Id == Intrinsic::umin || Id == Intrinsic::smin ? z3::ite(Less, A, B) : z3::ite(Less, B, A);
}

z3::expr Region::ofCall(const CallBase &Call) {
  z3::expr Result = fresh(Call.getType());
  if (std::optional<ResultLimit> Limit = resultLimit(Call)) {
    z3::expr Most = asUnsigned(value(Limit->Most), Limit->Most->getType()->getIntegerBitWidth());
    Assumed.push_back(
        z3::implies(Reach.at(Call.getParent()), Result >= number(Limit->Least) && Result <= Most));
  }
  return Result;
}

z3::expr Region::ofPhi(const PHINode &Phi) {
  const Loop *L = S.T.Loops.getLoopFor(Phi.getParent());
  if (L && L->getHeader() == Phi.getParent() && !S.isCut(Phi.getParent()))
    return ofRound(Phi, *L);
  std::optional<z3::expr> Result;
  for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
    const BasicBlock *From = Phi.getIncomingBlock(I);
    if (!Members.count(From))
      continue;
    z3::expr One = valueAs(Phi.getIncomingValue(I), Phi);
    if (!Result) {
      Result = One;
      continue;
    }
    z3::expr Here = S.Context.bool_val(false);
    for (unsigned E = 0; E < From->getTerminator()->getNumSuccessors(); ++E)
      if (From->getTerminator()->getSuccessor(E) == Phi.getParent())
        Here = Here || edge(From, E);
    Result = z3::ite(Here, One, *Result);
  }
  return Result ? *Result : fresh(Phi.getType());
}

/// Whatever round it is of a loop that no cut opens.
z3::expr Region::ofRound(const PHINode &Phi, const Loop &Around) {
  z3::expr Result = fresh(Phi.getType()), Fits = S.Context.bool_val(true);
  const Rounds All = S.T.Where.roundsOf(Phi);
  if (All.Most != Unbounded)
    Fits = Fits && Result >= number(All.Least) && Result <= number(All.Most);
  if (const BasicBlock *Before = Around.getLoopPredecessor(); Before && All.Direction) {
    z3::expr First = valueAs(Phi.getIncomingValueForBlock(Before), Phi);
    z3::expr Behind = fresh("k");
    Fits = Fits && (All.Direction > 0 ? Result >= First : Result <= First) && Behind >= 0;
    if (All.Behind)
      Fits = Fits && Behind <= number(*All.Behind);
    if (All.Each)
      Fits = Fits && Result == First + Behind * number(*All.Each);
  }
  Assumed.push_back(z3::implies(Reach.at(Phi.getParent()), Fits));
  return Result;
}

z3::expr Region::ofPointer(const Value *V) {
  PointerSet Places = S.T.Where.resolve(V);
  if (!S.isAmongBlocks(Places) && (Places.size() != 1 || !Places[0].Base->named()))
    return fresh(V->getType());
  const Pointer &Place = Places[0];
  if (Places.size() == 1 && Place.exact())
    return number(Place.Low);
  const DataLayout &Layout = S.T.F.getParent()->getDataLayout();
  if (auto *Gep = dyn_cast<GEPOperator>(V); Gep && S.staysInBlocks(*Gep)) {
    MapVector<Value *, APInt> Variable;
    APInt Constant(64, 0);
    if (Gep->collectOffset(Layout, 64, Variable, Constant)) {
      z3::expr Sum = valueAs(Gep->getPointerOperand(), *V) + number(Constant.getSExtValue());
      for (const auto &[Index, Stride] : Variable)
        Sum = Sum + value(Index) * number(Stride.getSExtValue());
      return Sum;
    }
  }
  if (auto *Phi = dyn_cast<PHINode>(V))
    return ofPhi(*Phi);
  if (auto *Choice = dyn_cast<SelectInst>(V))
    return z3::ite(condition(Choice->getCondition()), valueAs(Choice->getTrueValue(), *V),
                   valueAs(Choice->getFalseValue(), *V));
  if (Places.size() == 1 && isa<IntToPtrInst>(V))
    if (std::optional<std::int64_t> Begin = S.beginOf(*Place.Base))
      if (std::optional<z3::expr> Whole = address(V, nullptr))
        return *Whole - number(*Begin);
  z3::expr E = fresh(V->getType());
  if (Places.size() > 1)
    isAtOneOf(E, Places);
  else if (Place.High != Unbounded)
    Assumed.push_back(E >= number(Place.Low) && E <= number(Place.High));
  return E;
}

z3::expr Region::condition(const Value *V) {
  using namespace PatternMatch;
  const Value *A, *B;
  if (auto *Number = dyn_cast<ConstantInt>(V))
    return S.Context.bool_val(Number->isOne());
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Members.count(I->getParent()) || isa<PHINode>(I))
    return value(V) == 1;
  if (match(V, m_Not(m_Value(A))))
    return !condition(A);
  if (match(V, m_LogicalAnd(m_Value(A), m_Value(B))))
    return condition(A) && condition(B);
  if (match(V, m_LogicalOr(m_Value(A), m_Value(B))))
    return condition(A) || condition(B);
  if (auto *Same = dyn_cast<FreezeInst>(V))
    return condition(Same->getOperand(0));
  if (auto *Choice = dyn_cast<SelectInst>(V))
    return z3::ite(condition(Choice->getCondition()), condition(Choice->getTrueValue()),
                   condition(Choice->getFalseValue()));
  if (auto *Compare = dyn_cast<ICmpInst>(V))
    return compare(*Compare);
  if (auto *Cast = dyn_cast<TruncInst>(V); Cast && !S.isAddress(*Cast->getOperand(0)))
    return z3::mod(value(Cast->getOperand(0)), number(2)) == 1;
  // Made when the block was run, or anything.
  auto [Known, New] = Values.try_emplace(V, S.Context);
  if (New)
    Known->second = fresh(V->getType());
  return Known->second == 1;
}

/// Pointers into the same block, which compare as their distances from its beginning.
bool Region::inOneBlock(const Value &A, const Value &B) {
  if (!A.getType()->isPointerTy() || !B.getType()->isPointerTy())
    return false;
  const PointerSet First = S.T.Where.resolve(&A), Second = S.T.Where.resolve(&B);
  return First.size() == 1 && Second.size() == 1 && First[0].Base == Second[0].Base &&
         First[0].Base->named() && S.Memory.firm(*First[0].Base);
}

z3::expr Region::compare(const ICmpInst &Compare) {
  const Type *T = Compare.getOperand(0)->getType();
  const bool InBlock = inOneBlock(*Compare.getOperand(0), *Compare.getOperand(1));
  if (!InBlock && (S.isAddress(*Compare.getOperand(0)) || S.isAddress(*Compare.getOperand(1))))
    return sameAddress(Compare);
  if (!InBlock &&
      (!T->isIntegerTy() || T->getIntegerBitWidth() > 64 ||
       (T->isIntegerTy(1) && !Compare.isEquality()))) // where true is the less one if it has a sign
    return fresh("c") == 1;
  z3::expr A = value(Compare.getOperand(0)), B = value(Compare.getOperand(1));
  if (const unsigned Bits = InBlock ? 0 : T->getIntegerBitWidth(); Compare.isUnsigned() && Bits > 1)
    A = asUnsigned(A, Bits), B = asUnsigned(B, Bits);
  switch (Compare.getPredicate()) {
  case ICmpInst::ICMP_EQ:
    return A == B;
  case ICmpInst::ICMP_NE:
    return A != B;
  case ICmpInst::ICMP_UGT:
  case ICmpInst::ICMP_SGT:
    return A > B;
  case ICmpInst::ICMP_UGE:
  case ICmpInst::ICMP_SGE:
    return A >= B;
  case ICmpInst::ICMP_ULT:
  case ICmpInst::ICMP_SLT:
    return A < B;
  default:
    return A <= B;
  }
}

} // namespace rdma::clang_ir
