// Waits and flushes: by what name the queue pair is waited for, and where that stands.
#include "analyzer/clang/api/Messages.h"
#include "analyzer/core/Flow.h"
#include "ir/Litmus.h"
#include "rewriter/plan/RefusalTexts.h"
#include "rewriter/source/Carriers.h"
#include "rewriter/source/ControlFlow.h"
#include "rewriter/source/EditorParts.h"
#include "rewriter/source/Edits.h"
#include "rewriter/source/Guards.h"
#include "rewriter/source/Paths.h"
#include "rewriter/source/Requests.h"

#include <clang/AST/ExprCXX.h>

#include <set>

namespace rdma {

using namespace clang;
using source::Named;
using source::Slot;
using source::Syntax;

/// What a variable of the function that runs on a node is called in one that it calls, at that level of the
/// chain: a parameter that gets it and stays what it is, or itself where it is of the file.
const VarDecl *SourceEditor::Implementation::knownAs(const VarDecl *Known, const std::vector<Place> &Chain,
                                                     std::size_t Level) {
  for (std::size_t I = Chain.size() - 1; I > Level; --I) {
    File *Outer = Files.find(Chain[I].File), *Inner = Files.find(Chain[I - 1].File);
    auto Call = Outer && Inner ? Outer->Tree->invocation(Chain[I], Chain[I - 1].Function) : std::nullopt;
    const FunctionDecl *Body = Call ? Inner->Tree->functionAt(Chain[I - 1]) : nullptr;
    auto IsKnown = [&](const Expr *Argument) {
      auto *Ref = dyn_cast<DeclRefExpr>(Argument->IgnoreParenImpCasts());
      return Ref && Ref->getDecl() == Known;
    };
    if (!Body)
      return Known->isFileVarDecl() ? Known : nullptr;
    std::size_t A = llvm::find_if(Call->Arguments, IsKnown) - Call->Arguments.begin();
    bool Gets = A < Call->Arguments.size() && A < Body->getNumParams();
    const ParmVarDecl *Parameter = Gets ? Body->getParamDecl(A) : nullptr;
    if (Parameter && source::staysIn(*Body, Parameter))
      Known = Parameter;
    else if (!Known->isFileVarDecl())
      return nullptr;
  }
  return Known;
}

/// By the path that the topology gives it in the function that runs on a node.
std::optional<Named> SourceEditor::Implementation::nameInTopology(const Program &P, const PlannedEdit &Edit,
                                                                  const Place &Earlier, const Place &Later) {
  bool AtLoop = Edit.How == PlannedEdit::Stand::Entering || Edit.How == PlannedEdit::Stand::Unrolled;
  std::string Name = P.QueuePairs[Edit.Why.First.Pair].Name;
  auto PathFrom = [&](const Place &From, const Place *BeforeLoopFrom) {
    std::optional<Slot> At = slotFor(From, {}, BeforeLoopFrom);
    return At ? source::pathAt(*Files.find(From.File)->Tree, Name, *At) : std::nullopt;
  };
  const std::vector<Place> &Chain =
      P.Threads[Edit.Why.First.Thread].Statements[Edit.Why.First.Statement].Where.Chain;
  std::size_t Level = llvm::find(Chain, Earlier) - Chain.begin();
  const VarDecl *Root = nullptr;
  if (Level + 1 < Chain.size()) {
    auto AtEntry = PathFrom(Chain.back(), nullptr);
    Root = AtEntry ? knownAs(AtEntry->Root, Chain, Level) : nullptr;
    if (!Root)
      return std::nullopt;
    Name.replace(0, AtEntry->Root->getName().size(), Root->getName());
  }
  auto Path = PathFrom(Later, AtLoop ? &Earlier : nullptr);
  if (!Path || (Root && Path->Root != Root))
    return std::nullopt;
  return Named{Path->Text, Path->Of, {}, {}, Path->Root, Path->Through};
}

/// A SEND, for which the other end needs a receive and no right.
static bool isSend(const Program &P, const Operation &Op) {
  return Op.Kind == OperationKind::Put && Op.Remote.valid() &&
         P.Objects[Op.Remote.Target].Name.starts_with(clang_ir::MessagesOf);
}

/// On the queue pair, by whatever name a thread knows it.
static Posted postedOn(const Program &P, QueuePairId Pair) {
  Posted On;
  auto IsThat = [&](QueuePairId Other) {
    return Other == Pair ||
           (P.QueuePairs[Pair].Shared != None && P.QueuePairs[Other].Shared == P.QueuePairs[Pair].Shared);
  };
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements) {
      if (!isRequest(S.Op.Kind) || !IsThat(S.Op.Pair))
        continue;
      const bool Writes = S.Op.Kind == OperationKind::Put && !isSend(P, S.Op);
      On.Writes |= Writes;
      On.Reads |= S.Op.Kind == OperationKind::Get;
      On.Others |= !Writes && S.Op.Kind != OperationKind::Get;
    }
  return On;
}

/// May a message be under way where the wait stands: something that arrives only when the other node has a
/// receive?
bool SourceEditor::Implementation::awaitsMessages(const Program &P, const PlannedEdit &Edit) {
  const Violation &Why = Edit.Why;
  const QueuePair &Pair = P.QueuePairs[Why.First.Pair];
  auto isMessage = [&](const Operation &Op) {
    return Op.Kind == OperationKind::Put && (isSend(P, Op) || hazards().Immediate);
  };
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    for (StatementId S = 0; S < P.Threads[T].Statements.size(); ++S) {
      const Operation &Op = P.Threads[T].Statements[S].Op;
      if (!isMessage(Op))
        continue;
      if (T == Why.First.Thread && Op.Pair == Why.First.Pair &&
          behind(P.Threads[T], {S})[Why.Second.Statement])
        return true;
      if (T != Why.First.Thread && Pair.Shared != None && P.QueuePairs[Op.Pair].Shared == Pair.Shared)
        return true;
    }
  return false;
}

/// By what all threads of the node that posts do.
static source::GoAheads::Posting postingOf(const Program &P, const PlannedEdit &Edit) {
  std::set<std::pair<bool, unsigned>> Pairs;
  std::set<CompletionQueueId> Queues;
  bool Several = false;
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements) {
      if (T.Home != P.Threads[Edit.Why.First.Thread].Home)
        continue;
      if (S.Op.Kind == OperationKind::Poll)
        Queues.insert(S.Op.Queue);
      if (!isRequest(S.Op.Kind))
        continue;
      const QueuePair &Q = P.QueuePairs[S.Op.Pair];
      if (Q.Name == "messages" || Q.receives()) // what goes through sockets, and to this node
        continue;
      Pairs.insert({Q.Shared != None, Q.Shared != None ? Q.Shared : S.Op.Pair});
      Several |= Q.Name.find("[*]") != std::string::npos;
    }
  return {Several || Pairs.size() > 1, Queues.size() <= 1 && !Queues.contains(None)};
}

bool SourceEditor::Implementation::addWait(const Program &P, const PlannedEdit &Edit, std::string &Why) {
  const Statement &First = P.Threads[Edit.Why.First.Thread].Statements[Edit.Why.First.Statement];
  const QueuePairId Pair = Edit.Why.First.Pair;
  if (Pair != None && P.QueuePairs[Pair].receives()) {
    Why = refusals::Receive();
    return false;
  }
  if (std::string Reason = hazards().against(Edit.What == Remedy::PolledGet, Edit.Leaves != 0,
                                             postedOn(P, Edit.Why.First.Pair), First.Where.Chain.front());
      !Reason.empty()) {
    Why = Reason;
    return false;
  }
  using enum PlannedEdit::Stand;
  InTheWay.clear();
  ForMessages = awaitsMessages(P, Edit);
  Posting = postingOf(P, Edit);
  if (hazards().Builds || ForMessages)
    for (const Copy &C : copiesOf(P, Edit))
      Posts.push_back(P.Threads[C.Thread].Statements[C.At].Where.Chain);
  if (Edit.How == Before && Edit.Level)
    return addWaitInMember(P, Edit, Why);
  const std::vector<Place> &Chain =
      P.Threads[Edit.Why.First.Thread].Statements[Edit.Why.First.Statement].Where.Chain;
  auto [Earlier, Later] = placesOf(P, Edit);
  std::size_t Level = 0;
  while (Edit.How != Behind && Level + 1 < Chain.size() && Chain[Level] != Earlier)
    ++Level;
  if (addWaitFor(P, Edit, source::nameInCaller(Files, Chain, 0, Level), Why))
    return true;
  bool Ahead = Edit.How != Behind && Edit.How != BehindCall;
  std::string ByTopology;
  if (Ahead && addWaitFor(P, Edit, nameInTopology(P, Edit, Earlier, Later), ByTopology))
    return true;
  // That it has no second name is no reason where the first one would do.
  if (Ahead && Why == refusals::NoName())
    Why = ByTopology;
  return false;
}

/// Does the statement of the later one hold the earlier one too, in front of it? Before it is before both,
/// and behind it is behind both. What a macro says stands at one place, and comes again only in a loop. A
/// parameter is said to end where the function returns, which is behind what it returns.
bool SourceEditor::Implementation::inOneStatement(const Program &P, const PlannedEdit &Edit,
                                                  const Place &Earlier, const Place &Later) {
  const EventRef &Meant = Edit.Why.Second;
  if (Earlier == Later && P.Threads[Meant.Thread].Statements[Meant.Statement].LoopDepth == 0)
    return true;
  std::optional<Slot> At = Earlier.File == Later.File ? slotFor(Later, {}) : std::nullopt;
  if (!At)
    return false;
  const Syntax &Tree = *Files.find(Later.File)->Tree;
  auto [Begin, End] = Tree.extent(At->At);
  unsigned First = Tree.offsetOf(Earlier), Second = Tree.offsetOf(Later);
  const bool Ends = isa<ReturnStmt>(At->At) && Edit.How != PlannedEdit::Stand::BehindCall;
  return Begin <= First && First < End && (First < Second || Ends);
}

/// In the function that the later operation is in, by what the queue pair is called in the one that posts,
/// where that is a member function of the same object, or the same function: that the object's members are
/// private, or what the handle leads to not known, is nothing to them.
bool SourceEditor::Implementation::addWaitInMember(const Program &P, const PlannedEdit &Edit,
                                                   std::string &Why) {
  auto ChainOf = [&](const EventRef &E) -> const std::vector<Place> & {
    return P.Threads[E.Thread].Statements[E.Statement].Where.Chain;
  };
  auto LevelOf = [](const std::vector<Place> &Chain, const Place &At) -> std::size_t {
    return std::find(Chain.begin(), Chain.end(), At) - Chain.begin();
  };
  const std::vector<Place> &Posts = ChainOf(Edit.Why.First), &Uses = ChainOf(Edit.Why.Second);
  auto [Earlier, Later] = placesOf(P, Edit);
  std::size_t Level = LevelOf(Posts, Earlier), LaterLevel = LevelOf(Uses, Later) + 1;
  Why = refusals::NoName();
  if (Level >= Posts.size() || LaterLevel >= Uses.size())
    return false;
  auto Pair = source::nameInMember(Files, Posts, 0, Level, Uses, LaterLevel);
  if (!Pair)
    Pair = source::nameInSameFunction(Files, Posts, 0, Level, Uses, LaterLevel);
  auto Outside = Pair ? source::nameInCaller(Files, Posts, 0, Level) : std::nullopt;
  std::optional<Slot> Call = Outside ? slotFor(Uses[LaterLevel], {}) : std::nullopt;
  if (!Call)
    return false;
  Outside->Since = Earlier;
  if (!isAlive(P, Edit, *Outside) || !source::isStillThere(*Files.find(Earlier.File), *Call, *Outside) ||
      source::isGuarded(Files, Posts, Level - 1, *Pair, slotFor(Later, {}))) {
    Why = refusals::NotAlive();
    return false;
  }
  File *F = Files.find(Later.File);
  std::optional<Slot> At = F ? F->Tree->slot(Later) : std::nullopt;
  if (At) {
    Pair->Since = Later; // what the function does before that
    Pair->Since.Line =
        F->Tree->Context.getSourceManager().getExpansionLineNumber(At->Function->getBody()->getBeginLoc());
    Pair->Since.Column = 1;
  }
  bool Added = At && addBefore(Later, *Pair, waitFor(Edit, source::queuePairOf(Pair->Text, Pair->Of)));
  if (!InTheWay.empty())
    Why = InTheWay;
  CallsHeader |= Added && !Dry;
  return Added;
}

/// Where the wait is to stand behind the call: may the queue pair end before that, or what it is named
/// through, in what else is in the statement, as in `post(qp) || ibv_destroy_qp(qp)`? What leaves the
/// statement does not come to the wait.
bool SourceEditor::Implementation::endsBehind(const Program &P, const PlannedEdit &Edit, const Place &Call,
                                              const Named &Pair) {
  std::optional<Slot> At = slotFor(Call, {});
  if (!At)
    return false;
  const Syntax &Tree = *Files.find(Call.File)->Tree;
  auto [Begin, End] = Tree.extent(At->At);
  const unsigned Post = Tree.offsetOf(Call);
  std::set<unsigned> Ends;
  for (const Copy &C : copiesOf(P, Edit))
    for (StatementId S : Alive->endsOf(C.Thread, C.Pair))
      for (const Place &Where : P.Threads[C.Thread].Statements[S].Where.Chain)
        if (unsigned Offset = Where.File == Call.File ? Tree.offsetOf(Where) : End;
            Begin <= Offset && Offset < End && Offset != Post)
          Ends.insert(Offset);
  source::Carriers Followed = Pair.Through;
  for (const Expr *Name : Pair.Names)
    Followed.merge(source::carriersIn(Name));
  for (const Expr *End : source::endedIn(Tree, Followed, *At))
    Ends.insert(Tree.offset(End->getExprLoc()));
  if (Ends.empty())
    return false;
  enum : unsigned { IsThere = 1, MayBeGone = 2 };
  auto Graph = source::graphOf(*At->At, Tree.Context);
  auto Behind = [&](const CFGElement &Step, unsigned Now) -> unsigned {
    const Stmt *S = source::statementOf(Step);
    auto *Called = dyn_cast_or_null<CallExpr>(S);
    const FunctionDecl *Callee = Called ? Called->getDirectCallee() : nullptr;
    if (S &&
        ((isa<ReturnStmt>(S) && S != At->At) || isa<CXXThrowExpr>(S) || (Callee && Callee->isNoReturn())))
      return 0;
    auto *E = dyn_cast_or_null<Expr>(S);
    if (!E || !Now)
      return Now;
    const unsigned Starts = Tree.offset(E->getBeginLoc()), Named = Tree.offset(E->getExprLoc());
    if (Called && (Starts == Post || Named == Post))
      return IsThere;
    const bool IsEnd = Ends.contains(Named) || (Called && Ends.contains(Starts));
    return IsEnd && isa<CallExpr, BinaryOperator, UnaryOperator, CXXDeleteExpr>(E) ? unsigned(MayBeGone)
                                                                                   : Now;
  };
  return !Graph || (source::flow(*Graph, IsThere, Behind) & MayBeGone);
}

/// What the queue pair is kept in that the call there is given by that name, as what leads to it may change
/// meanwhile.
std::optional<std::string> SourceEditor::Implementation::keptPair(const std::vector<Place> &Chain,
                                                                  const Place &Where, const Named &Pair) {
  std::size_t Level = llvm::find(Chain, Where) - Chain.begin();
  std::optional<Slot> At = Level < Chain.size() ? slotFor(Where, Pair) : std::nullopt;
  if (!At)
    return std::nullopt;
  File &F = *Files.find(Where.File);
  auto Call = F.Tree->invocation(Where, Level ? Chain[Level - 1].Function : "");
  for (const Expr *Given : Call ? Call->Arguments : std::vector<const Expr *>()) {
    QualType To = Given->getType()->getPointeeType();
    const RecordDecl *Of = To.isNull() ? nullptr : To->getAsRecordDecl();
    if (Of && Of->getName() == "ibv_qp" && F.Tree->text(Given->getSourceRange()) == Pair.Text)
      return source::addKept(F, *At, *Given, Dry);
  }
  return std::nullopt;
}

std::string SourceEditor::Implementation::waitFor(const PlannedEdit &Edit, const std::string &Pair) {
  std::string Call = Edit.What == Remedy::PolledGet ? "rdma_flush("
                     : Edit.Leaves                  ? "rdma_wait_all_but("
                                                    : "rdma_wait(";
  return Call + Pair + (Edit.Leaves ? ", " + std::to_string(Edit.Leaves) : "") + ");";
}

bool SourceEditor::Implementation::addWaitFor(const Program &P, const PlannedEdit &Edit,
                                              std::optional<Named> Pair, std::string &Why) {
  using enum PlannedEdit::Stand;
  Why = refusals::NoName();
  if (!Pair)
    return false;
  if (!isAlive(P, Edit, *Pair)) {
    Why = refusals::NotAlive();
    return false;
  }
  auto [Earlier, Later] = placesOf(P, Edit);
  if ((Edit.How == Before || Edit.How == BehindCall) && inOneStatement(P, Edit, Earlier, Later)) {
    Why = refusals::OneStatement();
    return false;
  }
  const std::vector<Place> &Chain =
      P.Threads[Edit.Why.First.Thread].Statements[Edit.Why.First.Statement].Where.Chain;
  const Place &Post = Chain[0];
  Pair->Since = Edit.How == Behind ? Post : Earlier;
  const bool AtLoop = Edit.How == Entering || Edit.How == Unrolled;
  const Place &Stands = Edit.How == Before || AtLoop ? Later : Pair->Since;
  std::size_t Level = llvm::find(Chain, Pair->Since) - Chain.begin();
  if (source::isGuarded(Files, Chain, Level, *Pair, slotFor(Stands, {}, AtLoop ? &Earlier : nullptr))) {
    Why = refusals::NotAlive();
    return false;
  }
  if (PlannedEdit::isBehind(Edit.How) && endsBehind(P, Edit, Stands, *Pair)) {
    Why = refusals::NotAlive();
    return false;
  }
  std::string Called = source::queuePairOf(Pair->Text, Pair->Of);
  if (Edit.Keeps) {
    std::optional<std::string> Kept = keptPair(Chain, Pair->Since, *Pair);
    if (!Kept)
      return false;
    Called = *Kept;
  }
  std::string Text = waitFor(Edit, Called);
  bool Added = Edit.How == Behind       ? addAfter(Post, *Pair, Text)
               : Edit.How == BehindCall ? addAfter(Earlier, *Pair, Text)
               : Edit.How == Entering && Edit.Counts && !Edit.Leaves
                   ? addBeforeInner(P, Edit, Later, *Pair, Text)
               : Edit.How == Entering || Edit.How == Unrolled ? addBeforeLoop(Later, Earlier, *Pair, Text)
                                                              : addBefore(Later, *Pair, Text);
  // Of a list a part may be under way where the post fails.
  if (Added && Edit.How == Behind && source::isPostedInParts(P.Threads[Edit.Why.First.Thread], Post))
    addOnFailure(Post, *Pair, Text);
  if (!Added && Edit.How == Unrolled && !Edit.Level) // the earlier operation may be in the loop too
    Added = addBeforeInner(P, Edit, Later, *Pair, Text);
  if (!Added && !slotFor(Edit.How == Behind ? Post : Edit.How == BehindCall ? Earlier : Later, {}))
    Why = refusals::NoPlace();
  if (!Added && !InTheWay.empty())
    Why = InTheWay;
  CallsHeader |= Added && !Dry;
  return Added;
}

} // namespace rdma
