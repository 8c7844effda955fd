#include "rewriter/source/Batches.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Analysis/CFG.h>

#include <algorithm>
#include <vector>

namespace rdma::source {
namespace {

using namespace clang;

/// What the calls on some way have done: begun nothing, begun a request, ended it. A set of these.
enum Phase : unsigned { Untouched = 1, Begun = 2, Ended = 4, Any = 7 };

constexpr unsigned Deepest = 4;

/// A function's graph, walked with what may have been done before each step.
class Ways {
public:
  Ways(const FunctionDecl &Function, ASTContext &Context, unsigned Depth = Deepest)
      : Context(Context), Depth(Depth) {
    CFG::BuildOptions Options;
    Options.setAllAlwaysAdd();
    Options.AddImplicitDtors = true;
    if (!Function.isDependentContext())
      Graph = CFG::buildCFG(&Function, Function.getBody(), &Context, Options);
  }

  /// Within: the part that is asked for. What may have been done on the ways into it, or out of it.
  template <typename Predicate> unsigned at(Predicate Within, bool Behind) {
    unsigned Found = 0;
    constexpr unsigned Bits = 3; // those who are within stand above the others
    unsigned End = walk([&](const CFGElement &Element, unsigned Now) {
      const Stmt *S = statementOf(Element);
      if (S && Within(S)) {
        Found |= Behind ? 0 : Now & Any;
        Now = (Now & Any) << Bits | (Now & Any << Bits);
      } else if (S) {
        Found |= Behind ? Now >> Bits : 0;
        Now = (Now & Any) | Now >> Bits;
      }
      unsigned Does = doneBy(Element);
      unsigned Stays = Does & Untouched ? Now : 0;
      Does &= ~Untouched;
      return Stays | (Now & Any ? Does : 0) | (Now >> Bits ? Does << Bits : 0);
    });
    return Found | (Behind ? End >> Bits : 0);
  }

  /// What may have been done at the end; Untouched leaves what was before.
  unsigned atEnd() {
    return walk([&](const CFGElement &Element, unsigned Now) {
      unsigned Does = doneBy(Element);
      return (Does & Untouched ? Now : 0) | (Now ? Does & ~Untouched : 0);
    });
  }

  /// The last that begins a request.
  const Stmt *Start = nullptr;

private:
  static const Stmt *statementOf(const CFGElement &Element) {
    auto Statement = Element.getAs<CFGStmt>();
    return Statement ? Statement->getStmt() : nullptr;
  }

  template <typename Visitor> unsigned walk(Visitor Step) {
    if (!Graph)
      return Untouched;
    std::vector<unsigned> Before(Graph->getNumBlockIDs());
    Before[Graph->getEntry().getBlockID()] = Untouched;
    std::vector<const CFGBlock *> Work{&Graph->getEntry()};
    while (!Work.empty()) {
      const CFGBlock *Block = Work.back();
      Work.pop_back();
      unsigned Now = Before[Block->getBlockID()];
      for (const CFGElement &Element : *Block)
        Now = Step(Element, Now);
      for (const CFGBlock *Next : Block->succs())
        if (Next && (Before[Next->getBlockID()] | Now) != Before[Next->getBlockID()]) {
          Before[Next->getBlockID()] |= Now;
          Work.push_back(Next);
        }
    }
    return Before[Graph->getExit().getBlockID()];
  }

  unsigned doneBy(const CFGElement &Element) {
    const Stmt *S = statementOf(Element);
    const FunctionDecl *Callee = nullptr, *Body = nullptr;
    if (auto Dies = Element.getAs<CFGImplicitDtor>())
      Callee = Dies->getDestructorDecl(Context);
    else if (auto *Made = dyn_cast_or_null<CXXConstructExpr>(S))
      Callee = Made->getConstructor();
    else if (auto *Call = dyn_cast_or_null<CallExpr>(S))
      Callee = Call->getDirectCallee();
    StringRef Name = Callee && Callee->getIdentifier() ? Callee->getName() : "";
    unsigned Does = Untouched;
    if (Name == "ibv_wr_start")
      Does = Begun;
    else if (Name == "ibv_wr_complete" || Name == "ibv_wr_abort")
      Does = Ended;
    else if (Depth && Callee && !Context.getSourceManager().isInSystemHeader(Callee->getLocation()) &&
             Callee->hasBody(Body))
      Does = Ways(*Body, Context, Depth - 1).atEnd();
    if (Does & Begun && S)
      Start = S;
    return Does;
  }

  ASTContext &Context;
  const unsigned Depth;
  std::unique_ptr<CFG> Graph;
};

} // namespace

const Batches::Done &Batches::doneAt(const Syntax &S, const FunctionDecl &F, const Stmt *Part, bool Behind) {
  auto [At, New] = Known.try_emplace({Part, Behind});
  Done &Found = At->second;
  if (!New)
    return Found;
  if (F.isDependentContext()) {
    bool Names = S.text(F.getBody()->getSourceRange()).find("ibv_wr_start") != std::string::npos;
    return Found = {Names ? Phase::Begun : Untouched, F.getBody()};
  }
  auto [Begin, End] = S.extent(Part);
  Ways All(F, S.Context);
  Found.Phases = All.at(
      [&, Begin = Begin, End = End](const Stmt *Step) {
        unsigned Where = S.offset(Step->getBeginLoc());
        return S.holds(Step->getBeginLoc()) && Begin <= Where && Where < End;
      },
      Behind);
  Found.Start = All.Start ? All.Start : F.getBody();
  return Found;
}

Batches::Begun Batches::at(const EditedFile &In, const Slot &At, bool Behind,
                           const std::vector<Place> &Chain) {
  for (Standing Now = standingAt(Files, In, At, Chain); Now.Function;
       Now = callerOf(Files, Now, Chain), Behind = false) {
    const Done &Before = doneAt(*Now.In->Tree, *Now.Function, Now.Part, Behind);
    if (Before.Phases & Phase::Begun)
      return {Before.Start, Now.In};
    if (!(Before.Phases & Untouched))
      return {};
  }
  return {};
}

} // namespace rdma::source
