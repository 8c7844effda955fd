// Terms that are made of others: what wraps, and what is taken modulo a constant, is linear in these only.
#include "analyzer/clang/counts/Invariants.h"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// One variable of the program: what a loop makes of it and what the loops around it and within it start
/// from.
EquivalenceClasses<const Value *> variables(const Function &F) {
  EquivalenceClasses<const Value *> All;
  for (const Instruction &I : instructions(F))
    if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Phi->getType()->isIntegerTy())
      for (const Value *Incoming : Phi->incoming_values())
        if (isa<PHINode>(Incoming))
          All.unionSets(Phi, Incoming);
  return All;
}

} // namespace

/// x % c where the program computes that of x, or of x and a constant.
void Invariants::addResidues(std::vector<Term> &Terms) {
  auto plain = [](const Value *V) {
    for (;;) {
      auto *I = dyn_cast<Instruction>(V);
      bool Through = I && (isa<CastInst>(I) || isa<FreezeInst>(I) ||
                           (isa<BinaryOperator>(I) && isa<ConstantInt>(I->getOperand(1)) &&
                            (I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub)));
      if (!Through)
        return V;
      V = I->getOperand(0);
    }
  };
  for (const Instruction &I : instructions(S.T.F)) {
    auto *C = I.getNumOperands() == 2 ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
    if (!C || C->getBitWidth() > 64 || C->getSExtValue() < 1)
      continue;
    std::int64_t Modulus =
        I.getOpcode() == Instruction::URem || I.getOpcode() == Instruction::SRem ? C->getSExtValue()
        : I.getOpcode() == Instruction::And && C->getValue().isMask()            ? C->getSExtValue() + 1
                                                                                 : 0;
    if (Modulus < 2)
      continue;
    const Value *Of = plain(I.getOperand(0));
    const int Cell = S.Memory.loaded(*Of);
    unsigned Plain = Terms.size();
    for (unsigned N = 0; N < Plain; ++N) {
      const Term &T = Terms[N];
      auto snapped = [&](unsigned G) {
        auto [Phi, Kept] = S.Snapped[G - S.then(0)];
        return Phi ? Phi == Of : static_cast<int>(Kept) == Cell;
      };
      bool Fits = T.What == Term::Kind::Value      ? T.V == Of
                  : T.What != Term::Kind::Variable ? false
                  : T.Variable >= S.then(0)        ? snapped(T.Variable)
                                                   : static_cast<int>(T.Variable) == Cell;
      bool Has = std::any_of(Terms.begin(), Terms.end(), [&](const Term &Other) {
        return Other.What == Term::Kind::Residue && Other.Of == static_cast<int>(N) &&
               Other.Modulus == Modulus;
      });
      if (Fits && !Has && Terms.size() < MostTerms)
        Terms.push_back({Term::Kind::Residue, nullptr, 0, static_cast<int>(N), Modulus});
    }
  }
}

/// The term that is this value: its own, or of the cell that it is loaded from; -1: none.
int Invariants::termOf(const Value *V, const std::vector<Term> &Terms) const {
  const int Cell = S.Memory.loaded(*V);
  for (unsigned N = 0; N < Terms.size(); ++N)
    if ((Terms[N].What == Term::Kind::Value && Terms[N].V == V) ||
        (Terms[N].What == Term::Kind::Variable && Cell >= 0 &&
         Terms[N].Variable == S.cell(static_cast<unsigned>(Cell))))
      return N;
  return -1;
}

/// x - y where the program computes that of counters that may wrap, and x from what it was at the post.
void Invariants::addDistances(std::vector<Term> &Terms) {
  auto plain = [](const Value *V) {
    while (isa<CastInst>(V) || isa<FreezeInst>(V))
      V = cast<Instruction>(V)->getOperand(0);
    return V;
  };
  auto add = [&](int Of, int From, unsigned Bits) {
    Term Distance{Term::Kind::Distance, nullptr, 0, Of, 0, From, Bits};
    if (Terms.size() < MostTerms && std::find(Terms.begin(), Terms.end(), Distance) == Terms.end())
      Terms.push_back(Distance);
  };
  const EquivalenceClasses<const Value *> Same = variables(S.T.F);
  // At the cut of an outer loop the variable has another value than where the program computes with it.
  auto find = [&](const Value *V) {
    int Own = termOf(V, Terms);
    for (int N = 0, Count = Terms.size(); Own < 0 && N < Count; ++N)
      if (Terms[N].What == Term::Kind::Value && Same.isEquivalent(Terms[N].V, V))
        Own = N;
    return Own;
  };
  for (const Instruction &I : instructions(S.T.F)) {
    if (I.getOpcode() != Instruction::Sub || !S.T.Loops.getLoopFor(I.getParent()))
      continue;
    const Value *A = plain(I.getOperand(0)), *B = plain(I.getOperand(1));
    if (A->getType() != B->getType() || !A->getType()->isIntegerTy())
      continue;
    unsigned Bits = A->getType()->getIntegerBitWidth();
    // Without a sign it may wrap.
    bool Wraps = Bits < I.getType()->getIntegerBitWidth() || !I.hasNoSignedWrap();
    int Of = find(A), From = find(B);
    if (!Wraps || Bits < 8 || Bits > 64 || Of < 0 || From < 0 || Of == From)
      continue;
    add(Of, From, Bits);
    for (int Then = 0, Count = Terms.size(); Then < Count; ++Then)
      if (Terms[Then].What == Term::Kind::Variable && Terms[Then].Variable >= S.then(0) &&
          tied(Terms[Of], Terms[Then]))
        add(Of, Then, Bits);
  }
}

z3::expr Invariants::derived(const Term &T, const std::vector<z3::expr> &Terms) {
  const z3::expr Of = Terms[T.Of];
  if (T.What == Term::Kind::Distance) {
    z3::expr Apart = Of - Terms[T.From], Full = powerOfTwo(S.Context, T.Bits);
    return z3::ite(2 * Apart >= Full, Apart - Full, z3::ite(2 * Apart < -Full, Apart + Full, Apart));
  }
  if (T.What == Term::Kind::Residue)
    return z3::mod(Of, S.Context.int_val(T.Modulus));
  return z3::ite(Of > 0, Of, S.Context.int_val(0));
}

} // namespace rdma::clang_ir
