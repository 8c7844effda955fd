#include "analyzer/clang/translate/Polls.h"
#include "analyzer/clang/translate/FailedCalls.h"
#include "analyzer/clang/translate/KeptResults.h"
#include "analyzer/clang/translate/Tested.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr std::int64_t Huge = std::numeric_limits<std::int32_t>::max();

struct Range {
  std::int64_t Least = 0, Most = Huge;
  bool NotZero = false; ///< of a range with zero in it
  bool excludesZero() const { return NotZero || Least > 0 || Most < 0; }
};

/// The value without casts that keep a small number what it is. Widened: one made it wider without a sign.
const Value *core(const Value *V, bool *Widened = nullptr) {
  for (;;) {
    if (Widened)
      *Widened |= isa<ZExtInst>(V);
    if (isa<SExtInst>(V) || isa<ZExtInst>(V) || isa<FreezeInst>(V) || isa<TruncInst>(V))
      V = cast<Instruction>(V)->getOperand(0);
    else if (auto *Phi = dyn_cast<PHINode>(V); Phi && Phi->getNumIncomingValues() == 1)
      V = Phi->getIncomingValue(0);
    else
      return V;
  }
}

void narrow(Range &R, ICmpInst::Predicate P, std::int64_t C) {
  if (ICmpInst::isUnsigned(P)) {
    // A number below zero is a large one then; and none is between zero and one that is not.
    if (R.Least < 0 && C >= 0 && (P == ICmpInst::ICMP_ULT || P == ICmpInst::ICMP_ULE))
      R.Least = 0;
    if (R.Least < 0 || C < 0)
      return;
  }
  switch (P) {
  case ICmpInst::ICMP_EQ:
    R.Least = std::max(R.Least, C), R.Most = std::min(R.Most, C);
    break;
  case ICmpInst::ICMP_NE:
    R.Least += R.Least == C, R.Most -= R.Most == C;
    R.NotZero |= C == 0;
    break;
  case ICmpInst::ICMP_SGT:
  case ICmpInst::ICMP_UGT:
    R.Least = std::max(R.Least, C + 1);
    break;
  case ICmpInst::ICMP_SGE:
  case ICmpInst::ICMP_UGE:
    R.Least = std::max(R.Least, C);
    break;
  case ICmpInst::ICMP_SLT:
  case ICmpInst::ICMP_ULT:
    R.Most = std::min(R.Most, C - 1);
    break;
  case ICmpInst::ICMP_SLE:
  case ICmpInst::ICMP_ULE:
    R.Most = std::min(R.Most, C);
    break;
  default:
    break;
  }
  R.Least += R.NotZero && R.Least == 0;
}

/// What a condition's outcome says about X.
void learn(Range &R, const Value *Condition, bool Outcome, const Value *X) {
  using namespace PatternMatch;
  const Value *A, *B;
  if (match(Condition, m_Not(m_Value(A))))
    return learn(R, A, !Outcome, X);
  if (Outcome ? match(Condition, m_LogicalAnd(m_Value(A), m_Value(B)))
              : match(Condition, m_LogicalOr(m_Value(A), m_Value(B)))) {
    learn(R, A, Outcome, X);
    return learn(R, B, Outcome, X);
  }
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare)
    return;
  ICmpInst::Predicate P = Outcome ? Compare->getPredicate() : Compare->getInversePredicate();
  const Value *Left = Compare->getOperand(0), *Right = Compare->getOperand(1);
  if (isa<ConstantInt>(Left)) {
    std::swap(Left, Right);
    P = ICmpInst::getSwappedPredicate(P);
  }
  bool Widened = false;
  auto *Number = dyn_cast<ConstantInt>(Right);
  if (!Number || Number->getBitWidth() > 64 || core(Left, &Widened) != X)
    return;
  if (Widened && ICmpInst::isSigned(P))
    P = ICmpInst::getUnsignedPredicate(P);
  narrow(R, P, Number->getSExtValue());
}

/// What is known of X on one way out of a block.
Range along(Range R, const Instruction *End, unsigned Successor, const Value *X) {
  if (auto *Branch = dyn_cast<BranchInst>(End); Branch && Branch->isConditional()) {
    if (Branch->getSuccessor(0) != Branch->getSuccessor(1))
      learn(R, Branch->getCondition(), Successor == 0, X);
  } else if (auto *Switch = dyn_cast<SwitchInst>(End); Switch && core(Switch->getCondition()) == X) {
    if (const BasicBlock *Target = Switch->getSuccessor(Successor); Target != Switch->getDefaultDest()) {
      if (auto *Case = const_cast<SwitchInst *>(Switch)->findCaseDest(const_cast<BasicBlock *>(Target)))
        narrow(R, ICmpInst::ICMP_EQ, Case->getSExtValue());
    } else {
      for (auto Case : const_cast<SwitchInst *>(Switch)->cases())
        narrow(R, ICmpInst::ICMP_NE, Case.getCaseValue()->getSExtValue());
    }
  }
  return R;
}

/// At a block: what is known of the result on every way here, and the most that was counted on some way.
struct State {
  Range Known;
  std::int64_t Counted = 0;
};

/// What a result says of the completions taken: so many, or one when it is zero.
enum class Says { Number, ZeroForOne };

class Result {
public:
  Result(const CallBase *Call, Range First, const DominatorTree &Tree, Says What)
      : Call(Call), First(First), Tree(Tree), What(What) {}

  void place(std::map<Edge, std::vector<PollsOnEdge>> &Into) {
    run();
    for (const auto &[Block, S] : At)
      for (unsigned I = 0; I < Block->getTerminator()->getNumSuccessors(); ++I)
        if (State Out = out(Block, I); Out.Counted > S.Counted)
          Into[{Block, I}].push_back({Call, static_cast<unsigned>(Out.Counted - S.Counted)});
  }

  /// May completions have been taken where the loop begins again, or where a way without the call joins?
  bool takenAgain(const Loop &Around) {
    run();
    for (const auto &[Block, S] : At)
      for (unsigned I = 0; I < Block->getTerminator()->getNumSuccessors(); ++I) {
        const BasicBlock *Next = Block->getTerminator()->getSuccessor(I);
        bool Goes = Around.contains(Block) && Around.contains(Next) && !At.count(Next);
        bool Again = Next == Around.getHeader() && Around.contains(Block);
        const Range Known = out(Block, I).Known;
        if ((Goes || Again) && Known.Least <= Known.Most && mayTake(Known))
          return true;
      }
    return false;
  }

  /// May the block be reached with a result below zero?
  bool mayHaveFailed(const BasicBlock *Block) {
    run();
    auto Found = At.find(Block);
    return Found == At.end() || Found->second.Known.Least < 0;
  }

  /// Where a test parts errors from what has been taken: the ways of the errors.
  std::vector<FailedWay> failed() {
    run();
    std::vector<FailedWay> All;
    for (const auto &[Block, S] : At) {
      const unsigned Ways = S.Known.Least < 0 ? Block->getTerminator()->getNumSuccessors() : 0;
      bool Parts = false;
      for (unsigned I = 0; I < Ways; ++I)
        Parts |= isSuccess(out(Block, I).Known);
      for (unsigned I = 0; Parts && I < Ways; ++I)
        if (const Range Known = out(Block, I).Known; mayBeError(Known))
          All.push_back({{Block, I}, Known.Most < 0 || (Known.Most == 0 && Known.NotZero)});
    }
    return All;
  }

private:
  void run() {
    const BasicBlock *Start = Call->getParent();
    At[Start] = {First, 0};
    std::vector<const BasicBlock *> Work{Start};
    for (unsigned Steps = 0; !Work.empty() && Steps < 20'000; ++Steps) {
      const BasicBlock *Block = Work.back();
      Work.pop_back();
      for (unsigned I = 0; I < Block->getTerminator()->getNumSuccessors(); ++I)
        if (const BasicBlock *Next = Block->getTerminator()->getSuccessor(I);
            Next != Start && Tree.dominates(Start, Next))
          if (join(Next, out(Block, I)))
            Work.push_back(Next);
    }
  }

  State out(const BasicBlock *Block, unsigned Successor) const {
    const State &S = At.at(Block);
    State Out{along(S.Known, Block->getTerminator(), Successor, Call), S.Counted};
    // Least > Most: no result leads this way.
    if (Out.Known.Least <= Out.Known.Most)
      Out.Counted = std::max(Out.Counted, taken(Out.Known));
    return Out;
  }

  std::int64_t taken(const Range &Known) const {
    return What == Says::Number ? Known.Least : Known.Least == 0 && Known.Most == 0;
  }

  static bool isSuccess(const Range &Known) { return Known.Least >= 0 && Known.Most > 0; }
  static bool mayBeError(const Range &Known) { return Known.Least < 0 && Known.excludesZero(); }

  bool mayTake(const Range &Known) const {
    return What == Says::Number ? Known.Most > 0
                                : Known.Least <= 0 && Known.Most >= 0 && !Known.excludesZero();
  }

  bool join(const BasicBlock *Block, const State &S) {
    auto [Found, New] = At.try_emplace(Block, S);
    if (New)
      return true;
    State &Old = Found->second;
    State Both{{std::min(Old.Known.Least, S.Known.Least), std::max(Old.Known.Most, S.Known.Most),
                Old.Known.excludesZero() && S.Known.excludesZero()},
               std::max(Old.Counted, S.Counted)};
    bool Changed = Both.Known.Least != Old.Known.Least || Both.Known.Most != Old.Known.Most ||
                   Both.Known.NotZero != Old.Known.NotZero || Both.Counted != Old.Counted;
    Old = Both;
    return Changed;
  }

  const CallBase *Call;
  Range First;
  const DominatorTree &Tree;
  Says What;
  std::map<const BasicBlock *, State> At;
};

/// `done += k` or `left -= k` in a loop: the sum's phi in the header, its start, its value behind the call.
struct Accumulator {
  const PHINode *Sum = nullptr;
  const Value *Next = nullptr;
  std::int64_t Start = 0;
  bool Down = false;
};

/// Is V the sum with k added on every way, or on some and k zero... on none other than the sum itself?
bool addsOnly(const Value *V, const PHINode *Sum, const CallBase *Call, bool &Down, const Value *&Next,
              unsigned Depth) {
  if (Depth > 6)
    return false;
  V = core(V);
  if (auto *Step = dyn_cast<BinaryOperator>(V)) {
    const Value *A = core(Step->getOperand(0)), *B = core(Step->getOperand(1));
    if (Step->getOpcode() == Instruction::Add && ((A == Sum && B == Call) || (B == Sum && A == Call)))
      return Next = V, true;
    if (Step->getOpcode() == Instruction::Sub && A == Sum && B == Call)
      return Down = true, Next = V, true;
    return false;
  }
  if (auto *Merge = dyn_cast<PHINode>(V); Merge && Merge != Sum) {
    for (const Value *Incoming : Merge->incoming_values())
      if (core(Incoming) != Sum && !addsOnly(Incoming, Sum, Call, Down, Next, Depth + 1))
        return false;
    return Next != nullptr;
  }
  return false;
}

std::optional<Accumulator> accumulator(const CallBase *Call, const Loop &L) {
  for (const PHINode &Phi : L.getHeader()->phis()) {
    Accumulator Found{&Phi};
    bool Fits = Phi.getType()->isIntegerTy(), Adds = false;
    for (unsigned I = 0; Fits && I < Phi.getNumIncomingValues(); ++I) {
      const Value *V = Phi.getIncomingValue(I);
      if (L.contains(Phi.getIncomingBlock(I))) {
        Fits = core(V) == &Phi || (Adds |= addsOnly(V, &Phi, Call, Found.Down, Found.Next, 0), Found.Next);
      } else if (auto *Start = dyn_cast<ConstantInt>(V); Start && Start->getBitWidth() <= 64) {
        Found.Start = Start->getSExtValue();
      } else {
        Fits = false;
      }
    }
    if (Fits && Adds)
      return Found;
  }
  return std::nullopt;
}

/// Counts at the exits of the loop what the sum says there. False: the sum says nothing at some exit.
bool placeAtExits(const CallBase *Call, const Loop &L, const Accumulator &Sum, bool AddsErrors,
                  std::map<Edge, std::vector<PollsOnEdge>> &Into) {
  // What is added where polling fails is below zero, and so may the sum be.
  const Range All = AddsErrors ? Range{-Huge, Huge}
                    : Sum.Down ? Range{-Huge, Sum.Start}
                               : Range{Sum.Start, Huge};
  std::map<Edge, unsigned> Counts;
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  for (const BasicBlock *Block : Exiting)
    for (unsigned I = 0; I < Block->getTerminator()->getNumSuccessors(); ++I) {
      if (L.contains(Block->getTerminator()->getSuccessor(I)))
        continue;
      for (const Value *V : {static_cast<const Value *>(Sum.Sum), core(Sum.Next)}) {
        Range R = along(All, Block->getTerminator(), I, V);
        std::int64_t Taken = Sum.Down ? Sum.Start - R.Most : R.Least - Sum.Start;
        if (Taken > 0 && Taken < Huge)
          Counts[{Block, I}] = std::max<unsigned>(Counts[{Block, I}], Taken);
      }
    }
  for (const auto &[At, Count] : Counts)
    Into[At].push_back({Call, Count});
  return !Counts.empty();
}

/// Do all ways from the block end the process?
bool endsThere(const BasicBlock *Block) {
  return none_of(depth_first(Block), [](const BasicBlock *Behind) {
    return isa<ReturnInst>(Behind->getTerminator()) || isa<ResumeInst>(Behind->getTerminator());
  });
}

} // namespace

bool placePolls(const CallBase *Call, std::uint64_t Most, bool Waits, const DominatorTree &Tree,
                const LoopInfo &Loops, std::map<Edge, std::vector<PollsOnEdge>> &Into) {
  // Where the program tells errors from results, something has completed only where it has excluded them.
  Range First{0, Most ? static_cast<std::int64_t>(Most) : Huge};
  if (tellsFailedPolls(*Call, Most))
    First.Least = Waits ? -1 : -Huge, First.NotZero = Waits;
  Result Behind(Call, First, Tree, Says::Number);
  auto adds = [&](const User *U) {
    return isa<BinaryOperator>(U) && Behind.mayHaveFailed(cast<Instruction>(U)->getParent());
  };
  const bool AddsErrors =
      First.Least < 0 && any_of(keptResults(*Call), [&](const Value *V) { return any_of(V->users(), adds); });
  for (const Loop *L = Loops.getLoopFor(Call->getParent()); L; L = L->getParentLoop())
    if (auto Sum = accumulator(Call, *L))
      if (placeAtExits(Call, *L, *Sum, AddsErrors, Into))
        return true;
  Behind.place(Into);
  return false;
}

std::vector<FailedWay> failedWays(const CallBase *Call, const DominatorTree &Tree) {
  if (!tellsFailedPolls(*Call, 0))
    return {};
  std::vector<FailedWay> All = Result(Call, {-Huge, Huge}, Tree, Says::Number).failed();
  erase_if(All, [](const FailedWay &W) {
    return endsThere(W.At.first->getTerminator()->getSuccessor(W.At.second));
  });
  return All;
}

bool takesMore(const CallBase *Call, const DominatorTree &Tree, const Loop &Around, bool Started) {
  return Result(Call, {-Huge, Huge}, Tree, Started ? Says::ZeroForOne : Says::Number).takenAgain(Around);
}

void placeStartedPoll(const CallBase *Call, const DominatorTree &Tree,
                      std::map<Edge, std::vector<PollsOnEdge>> &Into) {
  Result(Call, {-Huge, Huge}, Tree, Says::ZeroForOne).place(Into);
}

int successorOnZero(const Instruction *Result) {
  auto *Compare = dyn_cast_or_null<ICmpInst>(testedAtEnd(*Result->getParent()));
  auto *Number = Compare ? dyn_cast<ConstantInt>(Compare->getOperand(1)) : nullptr;
  if (!Number || core(Compare->getOperand(0)) != Result)
    return -1;
  bool OnZero =
      ICmpInst::compare(APInt::getZero(Number->getBitWidth()), Number->getValue(), Compare->getPredicate());
  // Only a test that tells zero from an error says anything: the other way must exclude zero.
  return OnZero ? 0 : 1;
}

} // namespace rdma::clang_ir
