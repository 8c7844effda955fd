#include "analyzer/clang/memory/GoingRound.h"
#include "analyzer/clang/memory/FunctionFacts.h"

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

using Interval = GoingRound::Interval;

constexpr unsigned Deepest = 16;

std::optional<std::int64_t> small(const Value &V) {
  auto *Number = dyn_cast<ConstantInt>(&V);
  if (!Number || Number->getBitWidth() > 64 || std::abs(Number->getSExtValue()) > LargestIndex)
    return std::nullopt;
  return Number->getSExtValue();
}

std::optional<Interval> either(std::optional<Interval> A, std::optional<Interval> B) {
  return A && B ? std::optional(Interval(std::min(A->first, B->first), std::max(A->second, B->second)))
                : (A ? A : B);
}

/// A number that is made of another one by adding this.
std::optional<std::pair<const Value *, std::int64_t>> sumOf(const Value &V) {
  auto *I = dyn_cast<BinaryOperator>(&V);
  const std::optional<std::int64_t> By = I ? small(*I->getOperand(1)) : std::nullopt;
  auto *Disjoint = dyn_cast_or_null<PossiblyDisjointInst>(I);
  if (By && (I->getOpcode() == Instruction::Add || (Disjoint && Disjoint->isDisjoint())))
    return std::pair<const Value *, std::int64_t>(I->getOperand(0), *By);
  if (By && I->getOpcode() == Instruction::Sub)
    return std::pair<const Value *, std::int64_t>(I->getOperand(0), -*By);
  return std::nullopt;
}

bool isWidened(const Value &V) { return isa<ZExtInst, SExtInst, TruncInst, FreezeInst>(V); }

} // namespace

void GoingRound::setTo(const Value &V, const Instruction &There, const BasicBlock *Into) {
  Settings.push_back({&V, &There, Into});
}

void GoingRound::beginsWith(std::int64_t Number) { Begin = either(Begin, Interval(Number, Number)); }

/// How far the number is behind the position.
std::optional<std::int64_t> GoingRound::behindPosition(const Value &V) const {
  std::int64_t Behind = 0;
  const Value *At = &V;
  for (unsigned Depth = 0; Depth < Deepest; ++Depth) {
    if (Is(*At))
      return Behind;
    if (const auto Sum = sumOf(*At)) {
      At = Sum->first;
      Behind += Sum->second;
    } else if (isWidened(*At)) {
      At = cast<Instruction>(At)->getOperand(0);
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Where the position may be if the test comes out so; nothing: nowhere.
std::optional<Interval> GoingRound::compared(const ICmpInst &Test, bool Holds, Interval At) {
  const std::optional<std::int64_t> Limit = small(*Test.getOperand(1));
  const std::optional<std::int64_t> Behind = behindPosition(*Test.getOperand(0));
  if (!Limit || !Behind)
    return At;
  const std::int64_t End = *Limit - *Behind;
  Ends.insert({End - 1, End, End + 1});
  if (Test.isEquality())
    Numbers.insert(End);
  const auto Predicate = Holds ? Test.getPredicate() : Test.getInversePredicate();
  switch (Predicate) {
  case ICmpInst::ICMP_EQ:
    return At.first <= End && End <= At.second ? std::optional(Interval(End, End)) : std::nullopt;
  case ICmpInst::ICMP_NE:
    At.first += At.first == End;
    At.second -= At.second == End;
    break;
  case ICmpInst::ICMP_ULT:
  case ICmpInst::ICMP_ULE: // a number below zero is above each
    if (At.first + *Behind < 0)
      At.first = std::max(At.first, -*Behind);
    [[fallthrough]];
  case ICmpInst::ICMP_SLT:
  case ICmpInst::ICMP_SLE:
    At.second = std::min(At.second, End - (ICmpInst::isStrictPredicate(Predicate) ? 1 : 0));
    break;
  case ICmpInst::ICMP_UGT:
  case ICmpInst::ICMP_UGE:
    if (At.first + *Behind < 0)
      return At;
    [[fallthrough]];
  case ICmpInst::ICMP_SGT:
  case ICmpInst::ICMP_SGE:
    At.first = std::max(At.first, End + (ICmpInst::isStrictPredicate(Predicate) ? 1 : 0));
    break;
  default:
    break;
  }
  return At.first <= At.second ? std::optional(At) : std::nullopt;
}

std::optional<Interval> GoingRound::where(const Value &Condition, bool Holds, Interval At, unsigned Depth) {
  const Value *Left = nullptr, *Right = nullptr;
  if (Depth > Deepest)
    return At;
  if (match(&Condition, m_Not(m_Value(Left))))
    return where(*Left, !Holds, At, Depth + 1);
  if (Holds ? match(&Condition, m_LogicalAnd(m_Value(Left), m_Value(Right)))
            : match(&Condition, m_LogicalOr(m_Value(Left), m_Value(Right)))) {
    const std::optional<Interval> One = where(*Left, Holds, At, Depth + 1);
    return One ? where(*Right, Holds, *One, Depth + 1) : One;
  }
  auto *Test = dyn_cast<ICmpInst>(&Condition);
  return Test ? compared(*Test, Holds, At) : At;
}

/// By the tests on the way to the end of a block, and from there into another one.
std::optional<Interval> GoingRound::onWay(const Value &V, const Instruction &End, const BasicBlock *Into,
                                          Interval At, unsigned Depth) {
  auto passed = [&](const BasicBlock *From, const BasicBlock *To) {
    auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      return true;
    const std::optional<Interval> Left = where(*Branch->getCondition(), Branch->getSuccessor(0) == To, At, 0);
    At = Left.value_or(At);
    return Left.has_value();
  };
  const BasicBlock *Block = End.getParent();
  if (Into && !passed(Block, Into))
    return std::nullopt;
  for (unsigned Hops = 0; Hops < 64; ++Hops) {
    const BasicBlock *Before = Block->getSinglePredecessor();
    if (!Before) {
      const DomTreeNode *Node = Tree->getNode(Block);
      if (!Node || !Node->getIDom())
        break;
      Block = Node->getIDom()->getBlock();
      continue;
    }
    if (!passed(Before, Block))
      return std::nullopt;
    Block = Before;
  }
  return of(V, End, At, Depth);
}

/// What comes of it while the position is in this interval; nothing: no number that counts here.
std::optional<Interval> GoingRound::of(const Value &V, const Instruction &Use, Interval At, unsigned Depth) {
  if (Is(V)) {
    Steps = true;
    return At;
  }
  if (const std::optional<std::int64_t> Number = small(V))
    return Interval(*Number, *Number);
  if (Depth > Deepest)
    return std::nullopt;
  if (const auto Sum = sumOf(V); Sum || isWidened(V)) {
    const Value *Inner = Sum ? Sum->first : cast<Instruction>(V).getOperand(0);
    std::optional<Interval> Moved = of(*Inner, Use, At, Depth + 1);
    if (Moved && Sum)
      Moved = Interval(Moved->first + Sum->second, Moved->second + Sum->second);
    return Moved ? Moved : Others(V, Use);
  }
  if (auto *Choice = dyn_cast<SelectInst>(&V)) {
    std::optional<Interval> All;
    for (const bool Holds : {true, false})
      if (const auto There = where(*Choice->getCondition(), Holds, At, 0))
        All = either(All,
                     of(Holds ? *Choice->getTrueValue() : *Choice->getFalseValue(), Use, *There, Depth + 1));
    return All;
  }
  if (auto *Merge = dyn_cast<PHINode>(&V)) {
    std::optional<Interval> All;
    for (unsigned Way = 0; Way < Merge->getNumIncomingValues(); ++Way)
      All = either(All, onWay(*Merge->getIncomingValue(Way), *Merge->getIncomingBlock(Way)->getTerminator(),
                              Merge->getParent(), At, Depth + 4));
    return All;
  }
  return Others(V, Use);
}

/// What the position may be set to, when it has been in the interval.
std::optional<Interval> GoingRound::after() {
  std::optional<Interval> All = Begin;
  for (const Setting &S : Settings)
    All = either(All, onWay(*S.V, *S.There, S.Into, Now.value_or(Interval(0, 0)), 0));
  return All;
}

/// On and on, where the position never is the last number that a test looks for: by each that it can be, up
/// to that.
std::optional<Interval> GoingRound::jumped() {
  constexpr std::int64_t Most = 4096;
  if (!Begin || Numbers.empty() || Begin->second - Begin->first > Most)
    return std::nullopt;
  const std::int64_t Last = *Numbers.rbegin(), First = *Numbers.begin() - Most;
  std::set<std::int64_t> Seen;
  std::vector<std::int64_t> Work;
  auto visit = [&](Interval Some) {
    for (std::int64_t At = Some.first; At <= Some.second; ++At)
      if (Seen.insert(At).second && First <= At && At <= Last)
        Work.push_back(At);
  };
  visit(*Begin);
  while (!Work.empty() && Seen.size() < Most) {
    const std::int64_t At = Work.back();
    Work.pop_back();
    for (const Setting &S : Settings)
      if (const auto Next = onWay(*S.V, *S.There, S.Into, Interval(At, At), 0)) {
        if (Next->second - Next->first > Most)
          return std::nullopt;
        visit(*Next);
      }
  }
  return *Seen.rbegin() > Last && !Seen.contains(Last) ? std::optional(Interval(*Seen.begin(), LargestIndex))
                                                       : std::nullopt;
}

std::optional<Interval> GoingRound::solve() {
  constexpr unsigned MostRounds = 64;
  // What it begins with is no step of it.
  for (const Setting &S : Settings)
    if (const auto Number = small(*S.V))
      beginsWith(*Number);
  for (const Setting &S : Settings)
    if (!small(*S.V) && !behindPosition(*S.V) && !isa<SelectInst, PHINode>(S.V))
      Begin = either(Begin, Others(*S.V, *S.There));
  Now = Begin.value_or(Interval(0, 0)); // what it begins with is in the array
  for (unsigned Round = 0; Round < MostRounds; ++Round) {
    const std::optional<Interval> Next = after();
    if (!Next)
      return std::nullopt;
    if (Next->first >= Now->first && Next->second <= Now->second)
      return Steps ? Now : std::nullopt;
    auto Last = Ends.lower_bound(Next->second);
    auto First = Ends.upper_bound(Next->first);
    if ((Next->second > Now->second && Last == Ends.end()) ||
        (Next->first < Now->first && First == Ends.begin()))
      return jumped();
    if (Next->second > Now->second)
      Now->second = *Last;
    if (Next->first < Now->first)
      Now->first = *std::prev(First);
  }
  return std::nullopt;
}

} // namespace rdma::clang_ir
