// What is lost on the way from the source to the thread's graph, at the places where it matters.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/translate/Awaiting.h"
#include "analyzer/clang/translate/LastOwners.h"
#include "analyzer/clang/translate/Translator.h"
#include "analyzer/clang/translate/Understand.h"
#include "analyzer/clang/translate/WaysPast.h"

#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

void Translator::doubt(const Instruction &I, const Said &Text) {
  Doubts.try_emplace(&I, Stock.lose({siteOf(I.getDebugLoc()), Text, words::TellRequest}));
}

void Translator::doubtAwaited(const LoadInst &Load) {
  auto touchesNothing = [&](const CallBase &Call) {
    if (auto *Text = dyn_cast<InlineAsm>(Call.getCalledOperand()))
      return Text->getAsmString().empty() || understandAssembly(Text->getAsmString()) != Assembly::Unknown;
    if (isa<IntrinsicInst>(Call))
      return Understand().visit(const_cast<CallBase &>(Call)) == Meaning::Nothing;
    const ApiRow *Row = meaning(Call);
    return Row && (Row->What == Api::Nothing || Row->What == Api::MemoryFence);
  };
  if (awaitsUnknown(Load, Loops, touchesNothing))
    Doubts.try_emplace(&Load,
                       Stock.lose({siteOf(Load.getDebugLoc()), words::AwaitedLost, words::TellAwaited}));
}

StatementId Translator::mark(StatementId From, LostFactId Fact, unsigned Depth) {
  StatementId Here = statement({}, Stock.P.LostFacts[Fact].Where, Depth);
  thread().Statements[Here].Lost = Fact;
  link(From, Here);
  return Here;
}

LostFactId Translator::loseAll(const Instruction &I, const Said &Text) {
  return Stock.lose({siteOf(I.getDebugLoc()), Text, {}, None, true});
}

void Translator::markCall(const Instruction &I, const Said &Text) {
  Current = mark(Current, loseAll(I, Text), Loops.getLoopDepth(I.getParent()));
  remark(I, Text, false);
}

/// Is the call in a loop without posts that goes on when it has taken something?
bool Translator::pollsOn(const CallBase &Call) {
  bool Started = meaning(Call)->What == Api::StartPoll;
  if (meaning(Call)->What != Api::PollCq && !Started)
    return false;
  auto postsIn = [&](const Loop &L) {
    return any_of(L.blocks(), [&](const BasicBlock *Block) {
      return any_of(*Block, [&](const Instruction &I) {
        auto *Other = dyn_cast<CallBase>(&I);
        const ApiRow *Row = Other ? meaning(*Other) : nullptr;
        return Row && posts(Row->What);
      });
    });
  };
  for (const Loop *L = Loops.getLoopFor(Call.getParent()); L && !postsIn(*L); L = L->getParentLoop())
    if (takesMore(&Call, Tree, *L, Started))
      return true;
  return false;
}

/// A poll of which it is not known whose completions it takes, or how many.
void Translator::markPoll(const CallBase &Call) {
  CompletionQueueId Queue = poll(Call);
  if (Queue != None && (CountedAtExits[&Call] || (onlyCompared(Call) && !pollsOn(Call))))
    return;
  LostFact Fact{siteOf(Call.getDebugLoc()), Queue == None ? words::PollUnknown : words::CountLost,
                Queue == None ? words::TellPolled : words::TellCount, Queue};
  Current = mark(Current, Stock.lose(std::move(Fact)), Loops.getLoopDepth(Call.getParent()));
}

void Translator::findWaysPast(const CallBase &Call) {
  auto Known = [&](const CallBase &Other) {
    const ApiRow *Row = meaning(Other);
    return Row && (posts(Row->What) || polls(Row->What));
  };
  CompletionQueueId Queue = poll(Call);
  auto lose = [&](const Edge &At, const Said &Text, const Said &Tell) {
    LostFactId Fact = Stock.lose({siteOf(At.first->getTerminator()->getDebugLoc()), Text, Tell, Queue});
    std::vector<LostFactId> &All = OnlyPerhaps[At];
    if (std::find(All.begin(), All.end(), Fact) == All.end())
      All.push_back(Fact);
    return Fact;
  };
  for (const Edge &At : waysPast(Call, Loops, Known))
    lose(At, words::WaitLost, words::TellCount);
  if (meaning(Call)->What == Api::PollCq)
    for (const auto &[At, Certain] : failedWays(&Call, Tree))
      (Certain ? Stock.FailedPolls : Stock.PerhapsFailed)
          .insert(lose(At, words::FailedPollLost, words::TellFailedPoll));
}

/// Whether a loop that waits for what calls do, of which nothing is known, has a round at all, hangs on that,
/// too.
void Translator::findUnseenWaits() {
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = isa<IntrinsicInst>(I) ? nullptr : dyn_cast<CallBase>(&I);
    if (!Call || Call->isInlineAsm() || meaning(*Call))
      continue;
    const Function *Callee = calledFunction(*Call);
    bool Unseen = Callee && Callee->isDeclaration() && declarerOf(*Callee) != Declarer::Standard;
    if (!Callee)
      Where.functionsIn(Call->getCalledOperand(), Unseen);
    if (!Unseen)
      continue;
    const Said Text = unfollowed(Callee);
    if (std::optional<Edge> At = wayWithoutRound(*Call, Loops); At && !Text.empty())
      OnlyPerhaps[*At].push_back(loseAll(*Call, Text));
  }
}

void Translator::findLastOwners() {
  auto Frees = [&](const CallBase &Call) {
    const ApiRow *Row = meaning(Call);
    return Row && Row->What == Api::Frees;
  };
  for (const Edge &At : lastOwners(In.F, Tree, Frees))
    OnlyPerhaps[At].push_back(Stock.lose({.Where = siteOf(At.first->getTerminator()->getDebugLoc()),
                                          .Text = words::LastOwnerLost,
                                          .Tell = words::TellLastOwner,
                                          .Last = true}));
}

/// What the standard library throws (that there is no memory, that a position is out of range), and what C++
/// functions throw that are not in the sources. Whether it comes to that is not known.
void Translator::findThrows() {
  for (const BasicBlock &Block : In.F) {
    auto *Call = dyn_cast<InvokeInst>(Block.getTerminator());
    const Function *Callee = Call ? calledFunction(*Call) : nullptr;
    bool Own = Callee && Callee->getName().starts_with("__cxa_"); // a `throw` of the program's
    if (!Callee || Own || !Callee->isDeclaration())
      continue;
    if (declarerOf(*Callee) != Declarer::Standard && !Callee->getName().starts_with("_Z"))
      continue;
    OnlyPerhaps[{&Block, 1}].push_back(Stock.lose({.Where = siteOf(Call->getDebugLoc()),
                                                   .Text = words::ThrowLost,
                                                   .Tell = words::TellThrow,
                                                   .Throws = true}));
  }
}

} // namespace rdma::clang_ir
