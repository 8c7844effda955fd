#include "rewriter/source/GoAhead.h"

#include "rewriter/source/ControlFlow.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>

#include <set>

namespace rdma::source {
namespace {

using namespace clang;

/// What a step does while a message is under way. PollsOnce: it may have found nothing.
enum class Does { Nothing, PollsOnce, Polls, Tells };

bool isPoll(const clang_ir::ApiRow &Row) {
  return clang_ir::polls(Row.What) || Row.What == clang_ir::Api::WaitQp || Row.What == clang_ir::Api::FlushQp;
}

/// Standard input, output or errors, which no other node reads or writes.
bool isOwnDescriptor(const CallExpr &Call, ASTContext &Context) {
  Expr::EvalResult Number;
  const Expr *First = Call.getNumArgs() ? Call.getArg(0) : nullptr;
  return First && !First->isValueDependent() && First->getType()->isIntegerType() &&
         First->EvaluateAsInt(Number, Context) && Number.Val.getInt().isRepresentableByInt64() &&
         Number.Val.getInt().getExtValue() <= 2;
}
/// Writes to one of these, or to a FILE that it does not name.
bool isOwnFile(const CallExpr &Call) {
  bool Named = false;
  for (const Expr *Given : Call.arguments()) {
    QualType To = Given->getType()->getPointeeType();
    if (To.isNull() || !To->isRecordType() || To->getAsRecordDecl()->getName() != "_IO_FILE")
      continue;
    auto *Ref = dyn_cast<DeclRefExpr>(Given->IgnoreParenImpCasts());
    Named |= !Ref || !llvm::is_contained({"stdout", "stderr"}, Ref->getDecl()->getName());
  }
  return !Named;
}

/// Of the system's table: can another thread or node wait for what it does?
bool tells(const clang_ir::ApiRow &Row, const CallExpr *Call, ASTContext &Context, bool PostsTell) {
  using enum clang_ir::Api;
  StringRef Name = Row.Name;
  switch (Row.What) {
  case Nothing:
  case Memory:
  case Frees:
  case Allocate:
  case Map:
  case Foreign:
  case Same:
  case Ends:
  case RegMr:
  case CmReg:
  case Deregister:
  case CreateQp:
  case CmCreateQp:
  case CreateCq:
  case clang_ir::Api::MemoryFence:
  case JoinPthread:
  case JoinStd:
  case Receives:
  case ReceivesFile:
  case Readiness:
  case Event:
  case WrStart:
  case WrCall:
  case WrAbort:
    return false;
  case PostSend:
  case CmPost:
  case WrComplete:
    return PostsTell;
  case Sync:
    return !(Name.contains("lock") && !Name.contains("unlock")) &&
           !(Name.starts_with("sem_") && Name != "sem_post");
  case Sends:
    return !Call || !isOwnDescriptor(*Call, Context);
  case SendsFile:
    return !Call || !isOwnFile(*Call);
  default:
    return true;
  }
}

/// Where `file << a << b` begins.
const Expr *streamOf(const Expr &Of) {
  const Expr *E = Of.IgnoreParenImpCasts();
  if (auto *Operator = dyn_cast<CXXOperatorCallExpr>(E))
    return streamOf(*Operator->getArg(0));
  auto *Member = dyn_cast<CXXMemberCallExpr>(E);
  return Member ? streamOf(*Member->getImplicitObjectArgument()) : E;
}

/// Does the call write to a stream that others may read: none in memory, no standard one?
bool writesStream(const CallExpr &Call) {
  const Expr *To = streamOf(Call);
  auto *Ref = dyn_cast<DeclRefExpr>(To);
  const CXXRecordDecl *Class = To->getType()->getAsCXXRecordDecl();
  if (!Class || !Class->getName().contains("stream"))
    return false;
  const bool Standard = Ref && llvm::is_contained({"cout", "cerr", "clog"}, Ref->getDecl()->getName());
  return !Standard && !Class->getName().contains("stringstream");
}

/// Of the C++ library: its threads and what they tell each other by, and files.
bool libraryTells(const FunctionDecl &Callee) {
  auto *Method = dyn_cast<CXXMethodDecl>(&Callee);
  if (!Method)
    return false;
  StringRef Class = Method->getParent()->getName();
  std::string Name = Callee.getNameAsString();
  if (Class.contains("atomic"))
    return !StringRef(Name).starts_with("load") && Name != "wait" && Name != "test" &&
           !isa<CXXConversionDecl>(Method) && !isa<CXXConstructorDecl>(Method);
  if (Class.contains("mutex"))
    return Name.find("unlock") != std::string::npos;
  if (Class.ends_with("_guard") || Class.ends_with("_lock"))
    return isa<CXXDestructorDecl>(Method) || Name == "unlock";
  constexpr StringRef Telling[] = {
      "condition_variable", "thread", "promise", "packaged_task", "latch", "barrier", "semaphore", "filebuf"};
  return llvm::any_of(Telling, [&](StringRef Part) { return Class.contains(Part); }) && Name != "joinable" &&
         Name != "join";
}

/// A store that other threads may spin for.
bool isTellingStore(const Stmt &S) {
  if (auto *Builtin = dyn_cast<AtomicExpr>(&S))
    return !StringRef(Builtin->getOpAsString()).contains("load");
  const Expr *To = nullptr;
  if (auto *B = dyn_cast<BinaryOperator>(&S); B && B->isAssignmentOp())
    To = B->getLHS();
  if (auto *U = dyn_cast<UnaryOperator>(&S); U && U->isIncrementDecrementOp())
    To = U->getSubExpr();
  return To && (To->getType().isVolatileQualified() || To->getType()->isAtomicType());
}

bool mayPost(const clang_ir::ApiRow &Row) {
  return clang_ir::posts(Row.What) || Row.What == clang_ir::Api::WrComplete;
}

/// What is known of the whole program, and which functions are being looked at.
struct Known {
  Bodies &Given;
  const GoAheads::Posting &Posting;
  std::set<const FunctionDecl *> Open;
};

/// Follows the calls behind a part of a function until each way has polled.
class Ways {
public:
  Ways(const EditedFile &In, const FunctionDecl &F, Known &All, bool OnceIsEnough = false)
      : All(All), In(In), Context(In.Tree->Context), OnceIsEnough(OnceIsEnough), Begins(F.getLocation()),
        Graph(graphOf(F, Context)) {}

  /// Where the first call is that tells, on some way from the part that is asked for, or from behind it.
  template <typename Predicate> std::string from(Predicate Within, bool Behind) {
    return walk(Ahead, [&](const Stmt *S, unsigned Now) {
      bool Inside = S && Within(S);
      if (Now & Here && !Inside)
        Now |= Sent;
      Now &= ~Here;
      return !Inside ? Now : Behind ? Now | Here : Now | Sent;
    });
  }
  /// The same from the function's first statement.
  std::string whole() {
    return walk(Sent, [](const Stmt *, unsigned Now) { return Now; });
  }

  /// May the end be reached without a poll?
  bool EndsWithout = true;

private:
  /// Where a way may be: before the part, in it when what counts is behind it, or on with the message out.
  enum : unsigned { Ahead = 1, Here = 2, Sent = 4 };

  std::string placeOf(SourceLocation At) const {
    const Place Where = In.Tree->place(At, In.Name);
    return Where.File + ":" + std::to_string(Where.Line);
  }
  std::string placeOf(const Stmt &S) const { return placeOf(S.getBeginLoc()); }

  template <typename Visitor> std::string walk(unsigned Begin, Visitor Moves) {
    if (!Graph) // of a template nothing is known
      return placeOf(Begins);
    std::string Found;
    unsigned End = flow(*Graph, Begin, [&](const CFGElement &Element, unsigned Now) -> unsigned {
      Now = Found.empty() ? Moves(statementOf(Element), Now) : 0;
      if (!(Now & Sent))
        return Now;
      auto [Effect, At] = doneBy(Element);
      if (Effect == Does::Tells)
        Found = At;
      const bool Polled = Effect == Does::Polls || (OnceIsEnough && Effect == Does::PollsOnce);
      return Now & (Polled ? ~Sent : ~0u);
    });
    EndsWithout = End & (Here | Sent);
    return Found;
  }

  std::pair<Does, std::string> doneBy(const CFGElement &Element) {
    const Stmt *S = statementOf(Element);
    const FunctionDecl *Callee = calledBy(Element, Context);
    auto *Call = dyn_cast_or_null<CallExpr>(S);
    SourceLocation Where = S ? S->getBeginLoc() : SourceLocation();
    if (auto Local = Element.getAs<CFGAutomaticObjDtor>()) // where it was declared
      Where = Local->getVarDecl()->getLocation();
    if (S && isTellingStore(*S))
      return {Does::Tells, placeOf(*S)};
    if (!Callee)
      return {callsUnnamed(Element) ? Does::Tells : Does::Nothing, Call ? placeOf(*Call) : ""};
    auto [Effect, At] = byName(*Callee, Call, placeOf(Where.isValid() ? Where : Callee->getLocation()));
    if (Effect == Does::PollsOnce && Call && waitsInLoop(*Call))
      Effect = Does::Polls;
    return {Effect, At};
  }

  /// Is the call repeated by a loop in which nothing is posted?
  bool waitsInLoop(const CallExpr &Call) const {
    DynTypedNodeList Around = Context.getParents(Call);
    while (!Around.empty() && !Around[0].get<FunctionDecl>()) {
      const Stmt *Loop = Around[0].get<Stmt>();
      if (Loop && (isa<WhileStmt>(Loop) || isa<DoStmt>(Loop) || isa<ForStmt>(Loop)))
        return !All.Given.mayCall(*Loop, Context, mayPost);
      Around = Context.getParents(Around[0]);
    }
    return false;
  }

  std::pair<Does, std::string> byName(const FunctionDecl &Callee, const CallExpr *Call,
                                      const std::string &Where) {
    const clang_ir::ApiRow *Row = rowOf(Callee);
    if (Row && isPoll(*Row)) {
      const bool Waits = Row->What == clang_ir::Api::WaitQp || Row->What == clang_ir::Api::FlushQp ||
                         Row->What == clang_ir::Api::CmPoll;
      return {!All.Posting.OneQueue ? Does::Nothing : Waits ? Does::Polls : Does::PollsOnce, ""};
    }
    if (Row)
      return {tells(*Row, Call, Context, All.Posting.ToSeveral) ? Does::Tells : Does::Nothing, Where};
    if ((Callee.isImplicit() || Callee.isDefaulted()) && !Callee.hasBody())
      return {Does::Nothing, ""};
    if (Context.getSourceManager().isInSystemHeader(Callee.getLocation())) {
      const bool Known = Callee.isInStdNamespace() || isa<CXXMethodDecl>(Callee) || Callee.getBuiltinID();
      const bool Silent = Known && !libraryTells(Callee) && !(Call && writesStream(*Call));
      return {Silent ? Does::Nothing : Does::Tells, Where};
    }
    return inside(Callee, Where);
  }

  /// A function of the program; of code that is not given nothing is known.
  std::pair<Does, std::string> inside(const FunctionDecl &Callee, const std::string &Where) {
    Bodies::Body Body = All.Given.of(Callee);
    auto *Method = dyn_cast<CXXMethodDecl>(&Callee);
    if (!Body.Function || (Method && Method->isVirtual()))
      return {Does::Tells, Where};
    const FunctionDecl *F = Body.Function;
    if (!All.Open.insert(F).second)
      return {Does::Nothing, ""}; // what calls itself is being looked at
    Ways Strict(*Body.In, *F, All), Lenient(*Body.In, *F, All, true);
    std::string Tells = Strict.whole();
    if (Tells.empty())
      Lenient.whole();
    All.Open.erase(F);
    if (!Tells.empty())
      return {Does::Tells, Tells};
    return {!Strict.EndsWithout ? Does::Polls : !Lenient.EndsWithout ? Does::PollsOnce : Does::Nothing, ""};
  }

  Known &All;
  const EditedFile &In;
  ASTContext &Context;
  const bool OnceIsEnough;
  const SourceLocation Begins;
  const std::unique_ptr<CFG> Graph;
};

} // namespace

std::string GoAheads::behind(const EditedFile &In, const Slot &At, bool Behind,
                             const std::vector<Place> &Chain, Posting How) {
  for (Standing Now = standingAt(Files, In, At, Chain); Now.Function;
       Now = callerOf(Files, Now, Chain), Behind = true) {
    const Syntax &S = *Now.In->Tree;
    auto [Begin, End] = S.extent(Now.Part);
    Known Program{Given, How, {}};
    Ways All(*Now.In, *Now.Function, Program);
    std::string Tells = All.from(
        [&, Begin = Begin, End = End](const Stmt *Step) {
          unsigned Where = S.offset(Step->getBeginLoc());
          return S.holds(Step->getBeginLoc()) && Begin <= Where && Where < End;
        },
        Behind);
    if (!Tells.empty() || !All.EndsWithout)
      return Tells;
  }
  return {};
}

} // namespace rdma::source
