#include "analyzer/clang/api/Choices.h"

#include <llvm/IR/Operator.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr std::size_t MostChoices = 8;

/// An address that is stored as a number.
const Value *uncast(const Value *V) {
  while (Operator::getOpcode(V) == Instruction::PtrToInt)
    V = cast<Operator>(V)->getOperand(0);
  return V;
}

/// Is it stored there itself, not copied from elsewhere, and nowhere else?
bool storesTo(const Instruction *StoredBy, const Pointer &Place, Pointers &Where) {
  auto *Store = dyn_cast_or_null<StoreInst>(StoredBy);
  const PointerSet To = Store ? Where.resolve(Store->getPointerOperand()) : PointerSet();
  return To.size() == 1 && To[0].exact() && To[0].Base == Place.Base && !To[0].Base->Many;
}

/// The one store that has put a value there, which something has chosen.
const Content *onlyValue(const Contents &Field, const Pointer &Place, Pointers &Where,
                         const Instruction *Used) {
  if (Field.size() != 1 || Field[0].What != Content::Kind::Value ||
      !storesTo(Field[0].StoredBy, Place, Where))
    return nullptr;
  const Instruction *Store = Field[0].StoredBy;
  return Store->getParent() != Used->getParent() || Store->comesBefore(Used) ? &Field[0] : nullptr;
}

Content asContent(const Value *V) {
  auto *Number = dyn_cast<ConstantInt>(V);
  return Number && Number->getBitWidth() <= 64 ? Content{Content::Kind::Constant, Number->getZExtValue()}
                                               : Content{Content::Kind::Value, 0, V};
}

/// The blocks that have stored the field last, for certain; none: not all of them are known. Where it is used
/// amid the stores of one, it may be half of what one has stored and half of another.
std::set<const BasicBlock *> storedIn(const Contents &Field, const Pointer &Place, Pointers &Where,
                                      const Instruction *Used) {
  std::set<const BasicBlock *> All;
  for (const Content &C : Field)
    if (!storesTo(C.StoredBy, Place, Where) || C.StoredBy->getParent() == Used->getParent() ||
        !All.insert(C.StoredBy->getParent()).second)
      return {};
  return All;
}

/// The same, computed of the same values.
bool areAlike(const Value *A, const Value *B) {
  auto *Left = dyn_cast<Instruction>(A), *Right = dyn_cast<Instruction>(B);
  return A == B || (Left && Right && Left->isIdenticalTo(Right) && !Left->mayReadOrWriteMemory() &&
                    !isa<PHINode>(Left));
}

/// The condition that leads to the block alone, and its outcome.
std::pair<const Value *, bool> conditionOf(const BasicBlock &Block) {
  const BasicBlock *Before = Block.getSinglePredecessor();
  auto *Branch = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
  return Branch && Branch->isConditional()
             ? std::pair(Branch->getCondition(), Branch->getSuccessor(0) == &Block)
             : std::pair<const Value *, bool>();
}

} // namespace

std::vector<Choice> choicesOf(const Contents &Field, const Pointer &Place, Pointers &Where,
                              const Instruction *Used) {
  std::vector<Choice> All;
  if (const Content *Only = onlyValue(Field, Place, Where, Used)) {
    const BasicBlock *There = Only->StoredBy->getParent();
    if (auto *Merge = dyn_cast<PHINode>(uncast(Only->V)))
      for (const BasicBlock *Way : Merge->blocks())
        All.push_back({.StoredIn = There, .Meeting = Merge->getParent(), .Taken = Way});
    else if (auto *Select = dyn_cast<SelectInst>(uncast(Only->V)))
      for (const bool Holds : {true, false})
        All.push_back({.Condition = Select->getCondition(), .Holds = Holds});
  } else if (const auto Blocks = storedIn(Field, Place, Where, Used); Blocks.size() > 1) {
    for (const BasicBlock *Last : Blocks) {
      const auto [Condition, Holds] = conditionOf(*Last);
      All.push_back({.Blocks = Blocks, .Last = Last, .Condition = Condition, .Holds = Holds});
    }
  }
  return All.size() > MostChoices ? std::vector<Choice>() : All;
}

/// Of what several blocks have stored.
Contents Choice::ofBlocks(const Contents &Field, const std::set<const BasicBlock *> &Some) const {
  Contents Left;
  for (const Content &C : Field) {
    const BasicBlock *There = C.StoredBy->getParent();
    const auto [Chooses, Outcome] = conditionOf(*There);
    const bool Other = Condition && Chooses && areAlike(Chooses, Condition) && Outcome != Holds;
    if (!Other && (Some != Blocks || There == Last))
      Left.push_back(C);
  }
  return Left.empty() ? Field : Left;
}

Contents Choice::of(const Contents &Field, const Pointer &Place, Pointers &Where,
                    const Instruction *Used) const {
  if (const auto Some = storedIn(Field, Place, Where, Used); Some.size() > 1)
    return ofBlocks(Field, Some);
  const Content *Only = onlyValue(Field, Place, Where, Used);
  // It may be another one by now: what has stored it is not said.
  const Value *V = Only ? uncast(Only->V) : nullptr;
  if (auto *Merge = dyn_cast_or_null<PHINode>(V);
      Merge && Merge->getParent() == Meeting && Only->StoredBy->getParent() == StoredIn)
    return {asContent(Merge->getIncomingValueForBlock(Taken))};
  if (auto *Select = dyn_cast_or_null<SelectInst>(V);
      Select && Condition && areAlike(Select->getCondition(), Condition))
    return {asContent(Holds ? Select->getTrueValue() : Select->getFalseValue())};
  return Field;
}

} // namespace rdma::clang_ir
