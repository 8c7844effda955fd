#include "rewriter/source/Handlers.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <set>

namespace rdma::source {
namespace {

using namespace clang;

bool mayPoll(const clang_ir::ApiRow &Row) {
  return clang_ir::polls(Row.What) || Row.What == clang_ir::Api::WaitQp || Row.What == clang_ir::Api::FlushQp;
}

StringRef nameOf(const CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  return Callee && Callee->getIdentifier() ? Callee->getName() : "";
}

/// The second argument is the handler, and what is returned the one before.
bool isSignal(const CallExpr &Call) {
  return Call.getNumArgs() == 2 &&
         llvm::is_contained({"signal", "bsd_signal", "sysv_signal", "ssignal", "sigset"}, nameOf(Call));
}

const VarDecl *variable(const Expr &E) {
  auto *Ref = dyn_cast<DeclRefExpr>(E.IgnoreParenCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}
/// `&action`.
const VarDecl *addressed(const Expr &E) {
  auto *Of = dyn_cast<UnaryOperator>(E.IgnoreParenCasts());
  return Of && Of->getOpcode() == UO_AddrOf ? variable(*Of->getSubExpr()) : nullptr;
}

bool isHandler(const FieldDecl *Member) {
  return Member && Member->getIdentifier() &&
         llvm::is_contained({"sa_handler", "sa_sigaction"}, Member->getName());
}

/// `action.sa_handler`.
const MemberExpr *handlerIn(const Expr &E) {
  auto *Member = dyn_cast<MemberExpr>(E.IgnoreParenCasts());
  return Member && isHandler(dyn_cast<FieldDecl>(Member->getMemberDecl())) ? Member : nullptr;
}
/// The variable that the member is of; null: it is reached through a pointer.
const VarDecl *actionOf(const MemberExpr &Member) {
  const Expr *E = &Member;
  while (auto *Outer = dyn_cast<MemberExpr>(E->IgnoreParenCasts())) {
    if (Outer->isArrow())
      return nullptr;
    E = Outer->getBase();
  }
  return variable(*E);
}

/// What one source says of handlers.
class Setting : public RecursiveASTVisitor<Setting> {
public:
  bool VisitCallExpr(CallExpr *C) {
    if (const FunctionDecl *Callee = C->getDirectCallee())
      Calls[Callee->getCanonicalDecl()].push_back(C);
    if (isSignal(*C))
      Handlers.push_back(C->getArg(1));
    if (nameOf(*C) != "sigaction" || C->getNumArgs() != 3)
      return true;
    Actions.push_back(C->getArg(1));
    Filled.insert(addressed(*C->getArg(2)));
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *Ref) {
    if (auto *F = dyn_cast<FunctionDecl>(Ref->getDecl()))
      ++Names[F->getCanonicalDecl()];
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (!B->isAssignmentOp())
      return true;
    if (const MemberExpr *Member = handlerIn(*B->getLHS())) {
      Handlers.push_back(B->getRHS());
      Filled.insert(actionOf(*Member));
    } else if (const VarDecl *V = variable(*B->getLHS())) {
      note(*V, *B->getRHS());
    }
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) {
    if (U->getOpcode() == UO_AddrOf)
      Shown.insert(addressed(*U));
    return true;
  }
  bool VisitInitListExpr(InitListExpr *List) {
    if (const InitListExpr *Meant = List->isSemanticForm() ? List : List->getSemanticForm())
      noteHandlers(*Meant);
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    if (V->getInit())
      note(*V, *V->getInit());
    return true;
  }
  bool shouldVisitTemplateInstantiations() const { return true; }

  std::vector<const Expr *> Handlers, Actions;
  std::map<const VarDecl *, std::vector<const Expr *>> Values;
  std::set<const VarDecl *> Shown;  ///< whose address is taken
  std::set<const VarDecl *> Filled; ///< actions whose handler this source says, or that were in force before
  std::map<const FunctionDecl *, std::vector<const CallExpr *>> Calls;
  std::map<const FunctionDecl *, std::size_t> Names;

private:
  /// The handler is in a union, of which a designator makes a list that is not written.
  void noteHandlers(const InitListExpr &List) {
    if (isHandler(List.getInitializedFieldInUnion()) && List.getNumInits())
      Handlers.push_back(List.getInit(0));
    for (const Expr *Init : List.inits())
      if (auto *Inner = dyn_cast_or_null<InitListExpr>(Init))
        noteHandlers(*Inner);
  }
  void note(const VarDecl &V, const Expr &Value) {
    Values[&V].push_back(&Value);
    const Expr *E = Value.IgnoreParenCasts();
    if (auto *Literal = dyn_cast<CompoundLiteralExpr>(E))
      E = Literal->getInitializer();
    if (isa<InitListExpr>(E))
      Filled.insert(&V);
  }
};

class Judge {
public:
  Judge(const Setting &Source, ASTContext &Context, Bodies &Given)
      : Source(Source), Context(Context), Given(Given) {}

  bool handlerMayPoll(const Expr &Handler) {
    const Expr *E = Handler.IgnoreParenCasts();
    if (E->isInstantiationDependent()) // what is made of the template is looked at
      return false;
    if (auto *U = dyn_cast<UnaryOperator>(E);
        U && (U->getOpcode() == UO_AddrOf || U->getOpcode() == UO_Plus || U->getOpcode() == UO_Deref))
      return handlerMayPoll(*U->getSubExpr());
    if (auto *Choice = dyn_cast<AbstractConditionalOperator>(E))
      return handlerMayPoll(*Choice->getTrueExpr()) || handlerMayPoll(*Choice->getFalseExpr());
    if (auto *Converted = dyn_cast<CXXMemberCallExpr>(E)) // a lambda that captures nothing
      if (const CXXRecordDecl *Of = Converted->getRecordDecl(); Of && Of->isLambda())
        return Given.mayCall(*Of->getLambdaCallOperator(), mayPoll);
    if (auto *Call = dyn_cast<CallExpr>(E)) // what was set up before
      return !isSignal(*Call);
    if (isa<IntegerLiteral, CXXNullPtrLiteralExpr, GNUNullExpr, ImplicitValueInitExpr>(E))
      return false; // SIG_DFL, SIG_IGN
    if (const MemberExpr *Member = handlerIn(*E))
      return !isFilled(actionOf(*Member));
    auto *Ref = dyn_cast<DeclRefExpr>(E);
    auto *F = Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr;
    const VarDecl *V = variable(*E);
    return F ? Given.mayCall(*F, mayPoll) : !V || valueMayPoll(*V);
  }
  /// What an action holds is judged where it is put there.
  bool actionMayPoll(const Expr &Action) const {
    const Expr *E = Action.IgnoreParenCasts();
    if (E->isInstantiationDependent() ||
        E->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNotNull) != Expr::NPCK_NotNull)
      return false;
    auto *Of = dyn_cast<UnaryOperator>(E);
    return !isFilled(addressed(*E)) &&
           !(Of && isa<CompoundLiteralExpr>(Of->getSubExpr()->IgnoreParenCasts()));
  }

private:
  bool isFilled(const VarDecl *Action) const { return Action && Source.Filled.contains(Action); }

  /// Of a variable that no other source knows.
  bool valueMayPoll(const VarDecl &V) {
    if (!Open.insert(&V).second)
      return false;
    if (V.isExternallyVisible() || V.getType()->isReferenceType() || Source.Shown.contains(&V))
      return true;
    auto MayPoll = [&](const Expr *Value) { return handlerMayPoll(*Value); };
    auto All = Source.Values.find(&V);
    const bool Set = All != Source.Values.end() && llvm::any_of(All->second, MayPoll);
    if (auto *Parameter = dyn_cast<ParmVarDecl>(&V))
      return Set || givenMayPoll(*Parameter);
    return Set || (All == Source.Values.end() && V.hasLocalStorage());
  }
  /// By what the calls of its function hand over, where there are no others.
  bool givenMayPoll(const ParmVarDecl &V) {
    auto *F = dyn_cast<FunctionDecl>(V.getDeclContext());
    if (!F || F->isExternallyVisible() || isa<CXXMethodDecl>(F))
      return true;
    auto Calls = Source.Calls.find(F->getCanonicalDecl());
    auto Names = Source.Names.find(F->getCanonicalDecl());
    if (Calls == Source.Calls.end())
      return Names != Source.Names.end();
    const unsigned At = V.getFunctionScopeIndex();
    return Names->second != Calls->second.size() || llvm::any_of(Calls->second, [&](const CallExpr *Call) {
             return At >= Call->getNumArgs() || handlerMayPoll(*Call->getArg(At));
           });
  }

  const Setting &Source;
  ASTContext &Context;
  Bodies &Given;
  std::set<const VarDecl *> Open;
};

} // namespace

void findHandlers(SourceFiles &Files, Bodies &Given, Hazards &Found) {
  for (const std::string &Name : Files.sources()) {
    const Syntax &S = *Files.find(Name)->Tree;
    Setting Source;
    Source.TraverseAST(S.Context);
    for (const Expr *Handler : Source.Handlers)
      if (Judge(Source, S.Context, Given).handlerMayPoll(*Handler))
        noteHazard(S, Name, Handler->getBeginLoc(), Found.Handler);
    for (const Expr *Action : Source.Actions)
      if (Judge(Source, S.Context, Given).actionMayPoll(*Action))
        noteHazard(S, Name, Action->getBeginLoc(), Found.Handler);
  }
}

} // namespace rdma::source
