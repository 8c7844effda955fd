// Indices that go round at a number that is given, and no constant: as many slots of a ring are in use as the
// program was told.
#include "analyzer/clang/counts/Invariants.h"

#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

/// Is the number set back to zero beside this one, as where an index goes round?
static bool goesRound(const Value &Next) {
  auto isZero = [](const Value *V) {
    auto *Number = dyn_cast<ConstantInt>(V);
    return Number && Number->isZero();
  };
  return any_of(Next.users(), [&](const User *U) {
    return isa<PHINode, SelectInst>(U) && any_of(U->operand_values(), isZero);
  });
}

/// How far an index is ahead of what it was at the post, where it goes round at a number that is no constant
/// (`if (++next == depth) next = 0`).
void Invariants::addSteps(std::vector<Term> &Terms) {
  for (const Instruction &I : instructions(S.T.F)) {
    auto *Compare = S.matters(I) && S.T.Loops.getLoopFor(I.getParent()) ? dyn_cast<ICmpInst>(&I) : nullptr;
    for (unsigned Side : {0u, 1u}) {
      const Value *Next = Compare ? Compare->getOperand(Side) : nullptr;
      const Value *Limit = Compare ? Compare->getOperand(1 - Side) : nullptr;
      if (!Compare || isa<Constant>(Limit) || isa<Constant>(Next))
        continue;
      const int Of = variableOf(plain(Next), Terms), Round = termOf(plain(Limit), Terms);
      if (Of < 0 || Round < 0 || (Terms[Of].What == Term::Kind::Value && !goesRound(*Next)))
        continue;
      for (int Then = 0, Count = Terms.size(); Then < Count; ++Then)
        if (isOfPost(Terms[Then], plain(Next)) && Terms.size() < MostTerms)
          Terms.push_back({Term::Kind::Ahead, nullptr, 0, Of, 0, Then, 0, 0, Round});
    }
  }
}

/// What an index was at the post, by the number that the program divides it by.
void Invariants::addRemainders(std::vector<Term> &Terms) {
  for (const Instruction &I : instructions(S.T.F)) {
    const bool Signless = I.getOpcode() == Instruction::URem;
    if ((!Signless && I.getOpcode() != Instruction::SRem) || isa<Constant>(I.getOperand(1)) ||
        !S.matters(I) || !S.T.Loops.getLoopFor(I.getParent()))
      continue;
    const unsigned Bits = Signless ? I.getType()->getIntegerBitWidth() : 0;
    const int Round = termOf(uncast(I.getOperand(1)), Terms);
    for (int Then = 0, Count = Terms.size(); Round >= 0 && Then < Count; ++Then)
      if (isOfPost(Terms[Then], uncast(I.getOperand(0))) && Terms.size() < MostTerms)
        Terms.push_back({Term::Kind::Remainder, nullptr, 0, Then, 0, -1, Bits, 0, Round});
  }
}

/// Of numbers that are not negative. Two that are less apart than what they are divided by, and not the same,
/// leave different remainders.
z3::expr Region::remainder(const z3::expr &A, const z3::expr &By) {
  for (const auto &[Other, OtherBy, Left] : Remainders)
    if (z3::eq(A, Other) && z3::eq(By, OtherBy))
      return Left;
  const z3::sort Number = S.Context.int_sort();
  const z3::expr Left = S.Context.function("remainder", Number, Number, Number)(A, By);
  Assumed.push_back(z3::implies(A >= 0 && By > 0, Left >= 0 && Left < By && z3::implies(A < By, Left == A)));
  for (const auto &[Other, OtherBy, OtherLeft] : Remainders)
    Assumed.push_back(z3::implies(A >= 0 && Other >= 0 && By > 0 && By == OtherBy && Left == OtherLeft,
                                  A == Other || A - Other >= By || Other - A >= By));
  Remainders.push_back({A, By, Left});
  return Left;
}

} // namespace rdma::clang_ir
