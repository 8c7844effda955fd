// Terms that are made of others: what wraps, and what is taken modulo a constant, is linear in these only.
// And which terms may be bounded by each other.
#include "analyzer/clang/counts/Invariants.h"

#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

const Value *uncast(const Value *V) {
  while (isa<CastInst>(V) || isa<FreezeInst>(V))
    V = cast<Instruction>(V)->getOperand(0);
  return V;
}

const Value *plain(const Value *V) {
  for (;;) {
    auto *I = dyn_cast<Instruction>(V);
    bool Through = I && (isa<CastInst>(I) || isa<FreezeInst>(I) ||
                         (isa<BinaryOperator>(I) && isa<ConstantInt>(I->getOperand(1)) &&
                          (I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub)));
    if (!Through || isa<PtrToIntInst>(V))
      return V;
    V = I->getOperand(0);
  }
}

/// Terms that are this value, or what the same variable is elsewhere, or was at the post.
std::vector<int> Invariants::uses(const Value *V, const std::vector<Term> &Terms) const {
  const int Cell = S.Memory.found(*V);
  const EquivalenceClasses<const Value *> &Same = S.variables();
  std::vector<int> All;
  for (int N = 0, Count = Terms.size(); N < Count; ++N) {
    const Term &T = Terms[N];
    auto snapped = [&](unsigned G) {
      auto [Phi, Kept] = S.Snapped[G - S.then(0)];
      return Phi ? Phi == V || Same.isEquivalent(Phi, V) : static_cast<int>(Kept) == Cell;
    };
    if (T.What == Term::Kind::Value      ? T.V == V || Same.isEquivalent(T.V, V)
        : T.What != Term::Kind::Variable ? false
        : S.isThen(T.Variable)           ? snapped(T.Variable)
                                         : static_cast<int>(T.Variable) == Cell)
      All.push_back(N);
  }
  return All;
}

/// x without its sign where the program compares it, divides it or widens it so.
void Invariants::addSignless(std::vector<Term> &Terms) {
  auto add = [&](const Value *V) {
    const unsigned Bits = V->getType()->isIntegerTy() ? V->getType()->getIntegerBitWidth() : 0;
    if (Bits < 8 || Bits > 64 || isa<Constant>(V))
      return;
    for (int N : uses(V, Terms)) {
      Term Number{Term::Kind::Signless, nullptr, 0, N, 0, -1, Bits};
      if (Terms.size() < MostTerms && std::find(Terms.begin(), Terms.end(), Number) == Terms.end())
        Terms.push_back(Number), AnySignless = true;
    }
  };
  for (const Instruction &I : instructions(S.T.F)) {
    auto *Compare = dyn_cast<ICmpInst>(&I);
    if ((Compare && Compare->isUnsigned()) || I.getOpcode() == Instruction::URem || isa<ZExtInst>(I))
      for (const Value *V : I.operand_values()) {
        if (isa<Constant>(V))
          continue;
        add(V), add(plain(V));
        // A loop that is tested at its end compares what the variable is in the next round.
        for (const User *Next : V->users())
          if (isa<PHINode>(Next))
            add(Next);
      }
  }
}

/// The constant that the instruction takes its operand modulo; 0: none.
static std::int64_t modulusOf(const Instruction &I) {
  auto *C = I.getNumOperands() == 2 ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  if (!C || C->getBitWidth() > 64 || C->getSExtValue() < 1)
    return 0;
  const std::int64_t N = C->getSExtValue();
  return I.getOpcode() == Instruction::URem || I.getOpcode() == Instruction::SRem ? N
         : I.getOpcode() == Instruction::And && C->getValue().isMask()            ? N + 1
                                                                                  : 0;
}

/// What x has to be taken modulo so that bits in its middle are told by it: where they begin, and where they
/// end.
static std::vector<std::int64_t> moduliAround(const Instruction &I) {
  auto *C = I.getOpcode() == Instruction::And ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  if (!C || C->getBitWidth() > 64 || C->getValue().isMask() || !C->getValue().isShiftedMask() ||
      C->getValue().getActiveBits() > 32)
    return {};
  return {1ll << C->getValue().countr_zero(), 1ll << C->getValue().getActiveBits()};
}

/// How much is added to what is left of it without casts and constants, but for a multiple of the modulus.
static std::int64_t addedTo(const Value *V, std::int64_t Modulus) {
  std::int64_t Sum = 0;
  for (const Value *From = plain(V); V != From; V = cast<Instruction>(V)->getOperand(0))
    if (auto *Op = dyn_cast<BinaryOperator>(V); Op && Op->getType()->getIntegerBitWidth() <= 64) {
      const std::int64_t By = cast<ConstantInt>(Op->getOperand(1))->getSExtValue() % Modulus;
      Sum = (Sum + (Op->getOpcode() == Instruction::Add ? By : -By)) % Modulus;
    }
  return Sum;
}

/// How far ahead x % c has to begin so that it ends where the program looks at it: with `x % 4 == 0` a group
/// ends, and the next one begins behind it.
static std::set<std::int64_t> groupsAhead(const Instruction &I, std::int64_t Modulus) {
  constexpr std::int64_t Largest = 1 << 30;
  std::set<std::int64_t> All{0};
  if (Modulus > Largest)
    return All;
  const std::int64_t Added = addedTo(I.getOperand(0), Modulus);
  for (const User *U : I.users())
    if (auto *Compare = dyn_cast<ICmpInst>(U); Compare && Compare->isEquality())
      if (auto *Last = dyn_cast<ConstantInt>(Compare->getOperand(1)))
        All.insert((Added - Last->getSExtValue() % Modulus - 1 + 2 * Modulus) % Modulus);
  return All;
}

/// What x is in x ^ 1, 1 - x and !x: from 0 to 1 and back; else null.
static const Value *toggled(const Instruction &I) {
  auto is = [&](unsigned Operand, std::uint64_t N) {
    auto *C = dyn_cast<ConstantInt>(I.getOperand(Operand));
    return C && C->getValue() == N;
  };
  if (I.getOpcode() == Instruction::Xor && is(1, 1))
    return I.getOperand(0);
  if (I.getOpcode() == Instruction::Sub && is(0, 1))
    return I.getOperand(1);
  auto *Compare = isa<ZExtInst>(I) ? dyn_cast<ICmpInst>(I.getOperand(0)) : nullptr;
  auto *Zero = Compare && Compare->getPredicate() == ICmpInst::ICMP_EQ
                   ? dyn_cast<ConstantInt>(Compare->getOperand(1))
                   : nullptr;
  return Zero && Zero->isZero() ? Compare->getOperand(0) : nullptr;
}

/// The first number that a test against a constant keeps out, if it is one that ends a round.
static std::optional<std::int64_t> endOfRound(const Instruction &I) {
  auto *Compare = dyn_cast<ICmpInst>(&I);
  auto *Number = Compare ? dyn_cast<ConstantInt>(Compare->getOperand(1)) : nullptr;
  if (!Number || Number->getBitWidth() > 64 || Number->getValue().getSignificantBits() > 32)
    return std::nullopt;
  const auto Predicate = Compare->getPredicate();
  const bool Behind = Predicate == ICmpInst::ICMP_SGT || Predicate == ICmpInst::ICMP_UGT ||
                      Predicate == ICmpInst::ICMP_SLE || Predicate == ICmpInst::ICMP_ULE;
  return Number->getSExtValue() + (Behind ? 1 : 0);
}

/// Does the instruction set what is tested to zero, as the test says? How much more than that it becomes,
/// where it does not go back.
std::optional<std::int64_t> Invariants::aheadWhereKept(const Instruction &Test,
                                                       const Instruction &Back) const {
  const Value *Tested = Test.getOperand(0), *Of = plain(Tested);
  auto isZero = [](const Value *V) { return isa<ConstantInt>(V) && cast<ConstantInt>(V)->isZero(); };
  auto ahead = [&](const Value *V) -> std::optional<std::int64_t> {
    constexpr std::int64_t Largest = 1 << 30;
    return isa<Constant>(V) || plain(V) != Of ? std::nullopt
                                              : std::optional(addedTo(V, Largest) - addedTo(Tested, Largest));
  };
  if (auto *Choice = dyn_cast<SelectInst>(&Back)) {
    if (Choice->getCondition() != &Test)
      return std::nullopt;
    return isZero(Choice->getTrueValue())    ? ahead(Choice->getFalseValue())
           : isZero(Choice->getFalseValue()) ? ahead(Choice->getTrueValue())
                                             : std::nullopt;
  }
  if (auto *Phi = dyn_cast<PHINode>(&Back)) {
    // Where it begins is no end of a round.
    const bool Goes = any_of(Phi->blocks(), [&](const BasicBlock *From) {
      return isZero(Phi->getIncomingValueForBlock(From)) && S.T.Tree.dominates(Test.getParent(), From);
    });
    std::optional<std::int64_t> More;
    for (const Value *V : Phi->incoming_values())
      More = More || !Goes ? More : ahead(V);
    return More;
  }
  auto *Store = dyn_cast<StoreInst>(&Back);
  const int Cell = Store && isZero(Store->getValueOperand()) ? S.Memory.found(*Of) : -1;
  const bool Same = Cell >= 0 && S.Memory.at(S.T.Where.resolve(Store->getPointerOperand()),
                                             S.Memory.sizeOf(Store->getValueOperand()->getType())) == Cell;
  return Same ? std::optional<std::int64_t>(0) : std::nullopt;
}

/// Does the instruction make the variable go round, from the constant back to zero? So much; else 0.
std::int64_t Invariants::roundOf(const Instruction &I) const {
  auto isKept = [&](const Value *Result, const Value *Of) {
    return any_of(Result->users(), [&](const User *U) {
      auto *Store = dyn_cast<StoreInst>(U);
      const int Cell = S.Memory.found(*Of);
      return isa<PHINode>(U) ? S.variables().isEquivalent(cast<PHINode>(U), Of)
             : Store         ? Cell >= 0 && S.Memory.at(S.T.Where.resolve(Store->getPointerOperand()),
                                                        S.Memory.sizeOf(Result->getType())) == Cell
                             : isa<CastInst>(U) && any_of(U->users(), [&](const User *Next) {
                         return isa<PHINode>(Next) && S.variables().isEquivalent(cast<PHINode>(Next), Of);
                       });
    });
  };
  if (const Value *Other = toggled(I))
    return isKept(&I, plain(Other)) ? 2 : 0;
  if (std::int64_t Modulus = modulusOf(I))
    return isKept(&I, plain(I.getOperand(0))) ? Modulus : 0;
  if (const auto End = endOfRound(I))
    for (const Instruction &Back : instructions(S.T.F))
      if (const auto More = aheadWhereKept(I, Back); More && *End + *More >= 2)
        return *End + *More;
  return 0;
}

/// Does a group of rounds begin at x % c == 0, but for the first of all, which is told by x alone?
bool Invariants::beginsGroups(const std::vector<Term> &Terms, int Of) const {
  std::int64_t Size = 0;
  std::set<std::int64_t> Alone;
  for (const Instruction &I : instructions(S.T.F)) {
    auto *Compare = dyn_cast<ICmpInst>(&I);
    auto *Number = Compare ? dyn_cast<ConstantInt>(Compare->getOperand(1)) : nullptr;
    if (!Number || Number->getBitWidth() > 64)
      continue;
    const Value *Left = Compare->getOperand(0);
    auto *Rest = dyn_cast<Instruction>(Left);
    if (const std::int64_t Modulus = Rest ? modulusOf(*Rest) : 0; Modulus < 2) {
      if (termOf(plain(Left), Terms) == Of)
        Alone.insert(Number->getSExtValue());
    } else if (Number->isZero() && termOf(plain(Rest->getOperand(0)), Terms) == Of) {
      Size = Modulus;
    }
  }
  return Size != 0 && any_of(Alone, [&](std::int64_t N) { return N >= 0 && N <= Size; });
}

/// Does every round add a constant to it, so far as it can be told here?
bool Invariants::steps(const Term &T) const {
  if (T.What == Term::Kind::Variable)
    return S.isThen(T.Variable) ? !S.Snapped[T.Variable - S.then(0)].first ||
                                      steps({Term::Kind::Value, S.Snapped[T.Variable - S.then(0)].first})
                                : T.Variable < S.out(0);
  auto *Phi = T.What == Term::Kind::Value ? dyn_cast<PHINode>(T.V) : nullptr;
  return Phi && Phi->getType()->isIntegerTy() && any_of(Phi->incoming_values(), [&](const Value *V) {
           return V != Phi && !isa<Constant>(V) && plain(V) != V && S.variables().isEquivalent(plain(V), Phi);
         });
}

/// What a cell was at the post says which element was taken, too, where it has stepped on by then.
std::set<std::int64_t> Invariants::aheadAtPost(const Term &T, std::int64_t Modulus,
                                               std::set<std::int64_t> Ahead) const {
  if (T.What != Term::Kind::Variable || !S.isThen(T.Variable) || S.Snapped[T.Variable - S.then(0)].first)
    return Ahead;
  const int Cell = S.Snapped[T.Variable - S.then(0)].second;
  for (const Instruction &I : instructions(S.T.F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    const Value *V = Store ? Store->getValueOperand() : nullptr;
    if (V && S.Memory.found(*plain(V)) == Cell && plain(V) != V &&
        S.Memory.at(S.T.Where.resolve(Store->getPointerOperand()), S.Memory.sizeOf(V->getType())) == Cell)
      if (const std::int64_t Step = addedTo(V, Modulus) % Modulus)
        Ahead.insert((Modulus - Step) % Modulus);
  }
  return Ahead;
}

/// x % c where the program computes that of x, or of x and a constant, and also by groups; and that of what
/// is counted, where an index goes round.
void Invariants::addResidues(std::vector<Term> &Terms) {
  auto add = [&](int N, std::int64_t Modulus, std::int64_t Ahead = 0) {
    const Term Residue{Term::Kind::Residue, nullptr, 0, N, Modulus, -1, 0, Ahead};
    if (Terms.size() < MostTerms && std::find(Terms.begin(), Terms.end(), Residue) == Terms.end())
      Terms.push_back(Residue);
  };
  for (const Instruction &I : instructions(S.T.F)) {
    const std::int64_t Modulus = modulusOf(I), Round = roundOf(I);
    const std::vector<std::int64_t> Around = moduliAround(I);
    if (!S.matters(I) || (Modulus < 2 && Round < 2 && Around.empty()))
      continue;
    const Value *Of = plain(I.getOperand(0));
    const int Cell = S.Memory.found(*Of);
    auto fits = [&](const Term &T) {
      if (T.What == Term::Kind::Value)
        return T.V == Of;
      if (T.What != Term::Kind::Variable || !S.isThen(T.Variable))
        return T.What == Term::Kind::Variable && static_cast<int>(T.Variable) == Cell;
      auto [Phi, Kept] = S.Snapped[T.Variable - S.then(0)];
      return Phi ? Phi == Of : static_cast<int>(Kept) == Cell;
    };
    for (int N = 0, Count = Terms.size(); N < Count; ++N) {
      const Term &T = Terms[N];
      const Term &Plain = T.What == Term::Kind::Signless ? Terms[T.Of] : T;
      if (Round >= 2 && steps(Plain))
        add(N, Round);
      else if (Modulus >= 2 && fits(Plain))
        for (std::int64_t Ahead : aheadAtPost(Plain, Modulus, groupsAhead(I, Modulus)))
          add(N, Modulus, Ahead);
      for (std::int64_t Middle : fits(Plain) ? Around : std::vector<std::int64_t>())
        add(N, Middle);
    }
  }
}

/// The term that is this value: its own, or of the cell that it is loaded from; -1: none.
int Invariants::termOf(const Value *V, const std::vector<Term> &Terms) const {
  const int Cell = S.Memory.found(*V);
  for (unsigned N = 0; N < Terms.size(); ++N)
    if ((Terms[N].What == Term::Kind::Value && Terms[N].V == V) ||
        (Terms[N].What == Term::Kind::Variable && Cell >= 0 &&
         Terms[N].Variable == S.cell(static_cast<unsigned>(Cell))))
      return N;
  return -1;
}

/// The term that is this value, or what the same variable is at the cut of a loop around; -1: none.
int Invariants::variableOf(const Value *V, const std::vector<Term> &Terms) const {
  int Own = termOf(V, Terms);
  for (int N = 0, Count = Terms.size(); Own < 0 && N < Count; ++N)
    if (Terms[N].What == Term::Kind::Value && S.variables().isEquivalent(Terms[N].V, V))
      Own = N;
  return Own;
}

/// Is the term what the value was at the post?
bool Invariants::isOfPost(const Term &Then, const Value *V) const {
  if (Then.What != Term::Kind::Variable || !S.isThen(Then.Variable))
    return false;
  auto [Phi, Cell] = S.Snapped[Then.Variable - S.then(0)];
  return Phi ? Phi == V : static_cast<int>(Cell) == S.Memory.found(*V);
}

/// x - y where the program computes that of counters that may wrap, and x from what it was at the post; also
/// of a counter in memory that says which element is next.
void Invariants::addDistances(std::vector<Term> &Terms) {
  auto add = [&](int Of, int From, unsigned Bits) {
    Term Distance{Term::Kind::Distance, nullptr, 0, Of, 0, From, Bits};
    if (Terms.size() < MostTerms && std::find(Terms.begin(), Terms.end(), Distance) == Terms.end())
      Terms.push_back(Distance);
  };
  auto addSincePost = [&](int Of, unsigned Bits) {
    for (int Then = 0, Count = Terms.size(); Then < Count; ++Then)
      if (Terms[Then].What == Term::Kind::Variable && S.isThen(Terms[Then].Variable) &&
          tied(Terms[Of], Terms[Then]))
        add(Of, Then, Bits);
  };
  for (const Instruction &I : instructions(S.T.F)) {
    if (!S.matters(I) || !S.T.Loops.getLoopFor(I.getParent()))
      continue;
    if (modulusOf(I) >= 2)
      if (const Value *Counter = uncast(I.getOperand(0)); S.Memory.found(*Counter) >= 0)
        if (const int Of = termOf(Counter, Terms); Of >= 0)
          addSincePost(Of, Counter->getType()->getIntegerBitWidth());
    if (I.getOpcode() != Instruction::Sub)
      continue;
    const Value *A = uncast(I.getOperand(0)), *B = uncast(I.getOperand(1));
    if (A->getType() != B->getType() || !A->getType()->isIntegerTy())
      continue;
    unsigned Bits = A->getType()->getIntegerBitWidth();
    // Without a sign it may wrap.
    bool Wraps = Bits < I.getType()->getIntegerBitWidth() || !I.hasNoSignedWrap();
    int Of = variableOf(A, Terms), From = variableOf(B, Terms);
    if (!Wraps || Bits < 8 || Bits > 64 || Of < 0 || From < 0 || Of == From)
      continue;
    add(Of, From, Bits);
    addSincePost(Of, Bits);
  }
}

/// The thread's own part of a counter that others add to, and what they are known to have added.
bool Invariants::areCredits(const Term &Own, const Term &Heard) const {
  return Own.What == Term::Kind::Variable && Heard.What == Term::Kind::Variable && Own.Variable < S.out(0) &&
         S.hears(Own.Variable) && Heard.Variable == S.heard(Own.Variable) &&
         !S.Memory.all()[Own.Variable].Shared->Stored;
}

/// Numbers that a program compares; residues and pointers are told by equations.
bool Invariants::comparable(const Term &T) const {
  return T.What == Term::Kind::Variable || T.What == Term::Kind::AtLeastZero ||
         T.What == Term::Kind::Signless || (T.What == Term::Kind::Value && T.V->getType()->isIntegerTy());
}

/// Which of them may be bounded by each other: numbers of the program and what is out and taken all, ghosts
/// of arrays and ids only what they are told by.
bool Invariants::compared(const Term &A, const Term &B) const {
  if (!comparable(A) || !comparable(B))
    return false;
  auto ghost = [&](const Term &T) { return T.What == Term::Kind::Variable && T.Variable >= S.pending(); };
  if (!ghost(A) && !ghost(B))
    return true;
  const Term &Ghost = ghost(B) ? B : A, &Other = ghost(B) ? A : B;
  auto isOf = [&](const Term &T, unsigned Low, unsigned High) {
    return T.What == Term::Kind::Variable && T.Variable >= Low && T.Variable < High;
  };
  if (Ghost.Variable >= S.then(S.Snapped.size())) // what was heard is no more than what was taken
    return !ghost(Other) && !isOf(Other, S.out(0), S.taken(0));
  if (Ghost.Variable == S.outId())
    return isOf(Other, S.out(0), S.taken(0));
  if (isOf(Ghost, S.filled(0), S.element(0)) && isOf(Other, S.filled(0), S.element(0)))
    return (Ghost.Variable - S.filled(0)) / 2 == (Other.Variable - S.filled(0)) / 2;
  const bool Number = !ghost(Other) && !isOf(Other, S.out(0), S.pending());
  return Number && !isOf(Ghost, S.element(0), S.then(0));
}

/// Of the followed request: what is left beside what is out, and a counter beside what it was.
bool Invariants::tied(const Term &A, const Term &B) const {
  auto out = [&](const Term &T) {
    return T.What == Term::Kind::Variable && T.Variable >= S.out(0) && T.Variable < S.taken(0);
  };
  if (B.What == Term::Kind::Variable && (B.Variable == S.focus() || B.Variable == S.id()))
    return A.What == Term::Kind::Value && A.V->getType()->isIntegerTy();
  if (B.What == Term::Kind::Variable && B.Variable == S.leftId())
    return A.What == Term::Kind::Variable && A.Variable == S.outId();
  if (B.What != Term::Kind::Variable)
    return false;
  if (B.Variable == S.left())
    return out(A);
  if (B.Variable == S.topBefore())
    return (A.What == Term::Kind::Value && A.V->getType()->isIntegerTy()) ||
           (A.What == Term::Kind::Variable && A.Variable < S.out(0));
  if (!S.isThen(B.Variable))
    return false;
  auto [Phi, Cell] = S.Snapped[B.Variable - S.then(0)];
  return Phi ? A.What == Term::Kind::Value && A.V == Phi
             : A.What == Term::Kind::Variable && A.Variable == S.cell(Cell);
}

bool Invariants::tied(const std::vector<Term> &Terms, int A, int B) const {
  auto of = [&](int N) { return Terms[N].What == Term::Kind::Signless ? Terms[N].Of : N; };
  const bool TopId = Terms[B].What == Term::Kind::Variable && Terms[B].Variable == S.topBefore();
  if (any_of(Terms,
             [&](const Term &T) { return T.What == Term::Kind::Ahead && T.Round == A && T.From == B; }))
    return true;
  const bool Same = (Terms[A].What == Term::Kind::Signless) == (Terms[B].What == Term::Kind::Signless);
  return (Same || TopId) && tied(Terms[of(A)], Terms[of(B)]);
}

z3::expr Invariants::derived(const Term &T, const std::vector<z3::expr> &Terms, Region &In) {
  const z3::expr Of = Terms[T.Of];
  if (T.What == Term::Kind::Distance) {
    z3::expr Apart = Of - Terms[T.From], Full = powerOfTwo(S.Context, T.Bits);
    return z3::ite(2 * Apart >= Full, Apart - Full, z3::ite(2 * Apart < -Full, Apart + Full, Apart));
  }
  if (T.What == Term::Kind::Ahead)
    return z3::ite(Of > Terms[T.From], Of - Terms[T.From], Of - Terms[T.From] + Terms[T.Round]);
  if (T.What == Term::Kind::Remainder)
    return In.remainder(T.Bits ? Region::asUnsigned(Of, T.Bits) : Of, Terms[T.Round]);
  if (T.What == Term::Kind::Signless)
    return z3::ite(Of >= 0, Of, Of + powerOfTwo(S.Context, T.Bits));
  if (T.What == Term::Kind::Residue)
    return z3::mod(Of + S.Context.int_val(T.Ahead), S.Context.int_val(T.Modulus));
  return z3::ite(Of > 0, Of, S.Context.int_val(0));
}

} // namespace rdma::clang_ir
