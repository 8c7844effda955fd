// How far an index into an array goes.
#include "analyzer/clang/memory/Bounds.h"

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Where the address is used, if nothing else is done with it: a test may stand between.
std::vector<const Instruction *> usesOf(const Instruction &Gep) {
  constexpr std::size_t Most = 8;
  std::vector<const Instruction *> All;
  for (const User *U : Gep.users())
    if (auto *Use = dyn_cast<Instruction>(U); !Use || isa<PHINode>(Use) || All.size() == Most)
      return {};
    else
      All.push_back(Use);
  return All;
}

/// Is it a pointer, or a struct or array that holds some?
bool holdsPointers(const Type &T) {
  return T.isPointerTy() || any_of(T.subtypes(), [](const Type *Part) { return holdsPointers(*Part); });
}

} // namespace

IndexRange indexInto(const ArrayType &Array, IndexRange Range, FunctionFacts &Facts, const GEPOperator &Gep,
                     const Value *Index, NumbersAt Held) {
  const std::int64_t End = Array.getNumElements() - 1;
  auto *At = dyn_cast<Instruction>(&Gep);
  if (!At || !Facts.Tree.isReachableFromEntry(At->getParent()) || !Index->getType()->isIntegerTy())
    return Range;
  Bounds Numbers(Facts, Held);
  auto isInside = [&](const StridedInterval &I) { return I.isNone() || (I.least() >= 0 && I.most() <= End); };
  auto find = [&] {
    StridedInterval Found = Numbers.of(*Index, *At);
    if (isInside(Found))
      return Found;
    const std::vector<const Instruction *> Uses = usesOf(*At);
    StridedInterval Used = StridedInterval::none(Found.bits());
    for (const Instruction *Use : Uses)
      Used = Used.joined(Numbers.of(*Index, *Use));
    return Uses.empty() ? Found : Found.within(Used.range());
  };
  StridedInterval Found = find();
  const bool IsKnown = Found.isNone() || (Found.least() >= -LargestIndex && Found.most() <= LargestIndex);
  if (!IsKnown) {
    if (holdsPointers(*Array.getElementType()))
      return {0, End};
    Numbers.leaveOutWorkIds(true);
    const StridedInterval Others = find();
    return isInside(Others) && Others != Found ? IndexRange(0, End) : Range;
  }
  return Found.isNone() ? IndexRange(0, End) : IndexRange(Found.least(), Found.most());
}

} // namespace rdma::clang_ir
