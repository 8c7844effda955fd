#include "rewriter/source/Batches.h"

#include "rewriter/source/ControlFlow.h"

namespace rdma::source {
namespace {

using namespace clang;

/// What the calls on some way have done: begun nothing, begun a request, ended it. A set of these.
enum Phase : unsigned { Untouched = 1, Begun = 2, Ended = 4, Any = 7 };

constexpr unsigned Deepest = 4;

/// A function's graph, walked with what may have been done before each step.
class Ways {
public:
  Ways(const FunctionDecl &Function, Bodies &All, unsigned Depth = Deepest)
      : Context(Function.getASTContext()), All(All), Depth(Depth), Graph(graphOf(Function, Context)) {}

  /// Within: the part that is asked for. What may have been done on the ways into it, or out of it.
  template <typename Predicate> unsigned at(Predicate Within, bool Behind) {
    unsigned Found = 0;
    constexpr unsigned Bits = 3; // those who are within stand above the others
    unsigned End = through([&](const CFGElement &Element, unsigned Now) {
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
    return through([&](const CFGElement &Element, unsigned Now) {
      unsigned Does = doneBy(Element);
      return (Does & Untouched ? Now : 0) | (Now ? Does & ~Untouched : 0);
    });
  }

  /// The last that begins a request.
  const Stmt *Start = nullptr;

private:
  unsigned through(llvm::function_ref<unsigned(const CFGElement &, unsigned)> Step) {
    return Graph ? flow(*Graph, Untouched, Step) : Untouched;
  }

  unsigned doneBy(const CFGElement &Element) {
    const Stmt *S = statementOf(Element);
    const FunctionDecl *Callee = calledBy(Element, Context);
    StringRef Name = Callee && Callee->getIdentifier() ? Callee->getName() : "";
    unsigned Does = Untouched;
    if (Name == "ibv_wr_start")
      Does = Begun;
    else if (Name == "ibv_wr_complete" || Name == "ibv_wr_abort")
      Does = Ended;
    else if (Depth && Callee && !Context.getSourceManager().isInSystemHeader(Callee->getLocation()))
      if (Bodies::Body Body = All.of(*Callee); Body.Function)
        Does = Ways(*Body.Function, All, Depth - 1).atEnd();
    if (Does & Begun && S)
      Start = S;
    return Does;
  }

  ASTContext &Context;
  Bodies &All;
  const unsigned Depth;
  const std::unique_ptr<CFG> Graph;
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
  Ways All(F, Given);
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
