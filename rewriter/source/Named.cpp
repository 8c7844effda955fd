#include "rewriter/source/Named.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

namespace rdma::source {

using namespace clang;

namespace {

/// Does evaluation change what outlasts it? A function that is not given is taken to return what it is asked
/// for.
class Effects : public RecursiveASTVisitor<Effects> {
public:
  explicit Effects(unsigned Depth = 0) : Depth(Depth) {}

  bool VisitBinaryOperator(BinaryOperator *B) {
    return !(Found |= B->isAssignmentOp() && outlasts(B->getLHS()));
  }
  bool VisitUnaryOperator(UnaryOperator *U) {
    return !(Found |= U->isIncrementDecrementOp() && outlasts(U->getSubExpr()));
  }
  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *Callee = C->getDirectCallee(), *Body = nullptr;
    if (!Callee || Depth > 3 || !Callee->hasBody(Body))
      return true;
    Effects Inner(Depth + 1);
    Inner.TraverseStmt(Body->getBody());
    return !(Found |= Inner.Found);
  }

  bool Found = false;

private:
  bool outlasts(const Expr *E) const {
    auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return Depth == 0 || !V || !V->hasLocalStorage() || V->getType()->isReferenceType();
  }
  const unsigned Depth;
};

bool doesSomething(const Expr *E, const ASTContext &Context) {
  Effects In;
  In.TraverseStmt(const_cast<Expr *>(E));
  return In.Found || E->HasSideEffects(Context, false);
}

} // namespace

std::optional<Named> nameInCaller(SourceFiles &Files, const std::vector<Place> &Chain, unsigned Argument,
                                  std::size_t Level) {
  std::vector<Bindings> Names(Level + 1);
  std::vector<Invocation> Calls;
  for (std::size_t I = 0; I <= Level; ++I) {
    EditedFile *F = Files.find(Chain[I].File);
    auto Call = F ? F->Tree->invocation(Chain[I], I == 0 ? "" : Chain[I - 1].Function) : std::nullopt;
    if (!Call)
      return std::nullopt;
    Calls.push_back(std::move(*Call));
  }
  if (Argument >= Calls[0].Arguments.size())
    return std::nullopt;
  Named Result;
  Result.Parts = {Calls[0].Arguments[Argument]};
  Result.Names = Result.Parts;
  Result.Of = Result.Parts[0]->IgnoreParenImpCasts()->getType();
  const Syntax &Outermost = *Files.find(Chain[Level].File)->Tree;
  // From the outermost call inwards: what each callee's parameters stand for.
  for (std::size_t I = Level; I > 0; --I) {
    const FunctionDecl *Callee = Calls[I].Callee;
    const FunctionDecl *Body = Files.find(Chain[I - 1].File)->Tree->functionAround(Calls[I - 1].Whole);
    // A call through a pointer gives its arguments to whatever that leads to.
    std::size_t Given = Callee ? Callee->getNumParams() : Calls[I].Arguments.size();
    if (!Body || Given != Body->getNumParams() || (!Callee && isa<CXXMethodDecl>(Body)))
      return std::nullopt;
    const Syntax &Outside = *Files.find(Chain[I].File)->Tree;
    Names[I - 1].Into = Outermost.functionAround(Calls[Level].Whole);
    if (Calls[I].Object)
      Names[I - 1].Values[nullptr] = address(Outside, Calls[I].Object, Names[I]);
    for (unsigned A = 0; A < Body->getNumParams() && A < Calls[I].Arguments.size(); ++A)
      Names[I - 1].Values[Body->getParamDecl(A)] = substituted(Outside, Calls[I].Arguments[A], Names[I]);
  }
  const Syntax &Inner = *Files.find(Chain[0].File)->Tree;
  Result.Text = substituted(Inner, Calls[0].Arguments[Argument], Names[0]);
  if (Result.Text.find(Unspelled) != std::string::npos)
    return std::nullopt;
  // What the text rests on at the outer level: the arguments of the outer call whose parameters were used.
  for (std::size_t I = 0; I < Level; ++I) {
    std::vector<const Expr *> Outer;
    const FunctionDecl *Body = Files.find(Chain[I].File)->Tree->functionAround(Calls[I].Whole);
    for (const Expr *Part : Result.Parts)
      if (!outerParts(Part, Body, Calls[I + 1], Outer))
        return std::nullopt;
    Result.Parts = std::move(Outer);
    Result.Names.insert(Result.Names.end(), Result.Parts.begin(), Result.Parts.end());
  }
  // What a name does must not be done twice.
  auto Changes = [&](const Expr *Name) { return doesSomething(Name, Inner.Context); };
  if (std::any_of(Result.Names.begin(), Result.Names.end(), Changes))
    return std::nullopt;
  return Result;
}

/// The parameter of the function that an expression is, or is with other flags; used in the function this
/// once.
static const ParmVarDecl *parameterIn(const Expr *E, const FunctionDecl &Function) {
  E = E->IgnoreParenImpCasts();
  if (auto *Both = dyn_cast<BinaryOperator>(E); Both && Both->getOpcode() == BO_Or) {
    const ParmVarDecl *Left = parameterIn(Both->getLHS(), Function);
    return Left ? Left : parameterIn(Both->getRHS(), Function);
  }
  struct Uses : RecursiveASTVisitor<Uses> {
    bool VisitDeclRefExpr(DeclRefExpr *Ref) {
      Count += Ref->getDecl() == Of;
      return true;
    }
    const ValueDecl *Of = nullptr;
    unsigned Count = 0;
  } All;
  auto *Ref = dyn_cast<DeclRefExpr>(E);
  auto *Parameter = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
  All.Of = Parameter;
  All.TraverseStmt(Function.getBody());
  bool IsOwn = Parameter && Parameter->getFunctionScopeIndex() < Function.getNumParams() &&
               Function.getParamDecl(Parameter->getFunctionScopeIndex()) == Parameter;
  bool IsNumber = Parameter && Parameter->getType()->isIntegerType() &&
                  !Parameter->getType()->isEnumeralType() && !Parameter->getType()->isBooleanType();
  return IsOwn && IsNumber && All.Count == 1 ? Parameter : nullptr;
}

const Expr *handedInCaller(SourceFiles &Files, const Expr *Value, const std::vector<Place> &Chain,
                           std::size_t Level) {
  for (std::size_t I = 1; I <= Level; ++I) {
    EditedFile *Inside = Files.find(Chain[I - 1].File), *F = Files.find(Chain[I].File);
    const FunctionDecl *Body = Inside ? Inside->Tree->functionAt(Chain[I - 1]) : nullptr;
    const ParmVarDecl *Parameter = Body ? parameterIn(Value, *Body) : nullptr;
    auto Call = F && Parameter ? F->Tree->invocation(Chain[I], Chain[I - 1].Function) : std::nullopt;
    unsigned At = Parameter ? Parameter->getFunctionScopeIndex() : 0;
    if (!Call || !Call->Callee || Call->Arguments.size() != Body->getNumParams())
      return nullptr;
    Value = Call->Arguments[At];
    if (isa<CXXDefaultArgExpr>(Value) || Value->getBeginLoc().isMacroID() || Value->getEndLoc().isMacroID() ||
        doesSomething(Value, F->Tree->Context))
      return nullptr;
  }
  return Value;
}

/// A member function of an object, which its call names without doing anything.
static std::optional<Invocation> callOnObject(SourceFiles &Files, const Place &Call, const Place &Inside) {
  EditedFile *F = Files.find(Call.File);
  auto Found = F ? F->Tree->invocation(Call, Inside.Function) : std::nullopt;
  bool IsMember = Found && Found->Object && isa_and_nonnull<CXXMethodDecl>(Found->Callee);
  return IsMember && !doesSomething(Found->Object, F->Tree->Context) ? Found : std::nullopt;
}

/// What a call hands over for each of these, which must be parameters of the function that it calls; nothing
/// where one is not, or is changed on either side, or is handed over as more than a variable.
static std::optional<std::vector<const ValueDecl *>> handedOver(const Invocation &Call,
                                                                const FunctionDecl &Caller,
                                                                const FunctionDecl &Body,
                                                                const std::vector<const Expr *> &Parts) {
  std::vector<const ValueDecl *> Given;
  for (const Expr *Part : Parts)
    for (const VarDecl *V : variables(Part)) {
      auto *Parameter = dyn_cast<ParmVarDecl>(V);
      unsigned At = Parameter ? Parameter->getFunctionScopeIndex() : Call.Arguments.size();
      bool IsOwn = At < Body.getNumParams() && Body.getParamDecl(At) == V && At < Call.Arguments.size();
      auto *Ref = IsOwn ? dyn_cast<DeclRefExpr>(Call.Arguments[At]->IgnoreParenImpCasts()) : nullptr;
      if (!Ref || !staysIn(Body, V) || !staysIn(Caller, Ref->getDecl()))
        return std::nullopt;
      Given.push_back(Ref->getDecl());
    }
  return Given;
}

std::optional<Named> nameInSameFunction(SourceFiles &Files, const std::vector<Place> &Chain,
                                        unsigned Argument, std::size_t Level, const std::vector<Place> &Later,
                                        std::size_t LaterLevel) {
  if (Level == 0 || LaterLevel == 0 || Chain[Level].File != Later[LaterLevel].File ||
      Chain[Level - 1].File != Later[LaterLevel - 1].File)
    return std::nullopt;
  EditedFile *Outside = Files.find(Chain[Level].File), *Inside = Files.find(Chain[Level - 1].File);
  if (!Outside || !Inside)
    return std::nullopt;
  auto Posts = Outside->Tree->invocation(Chain[Level], Chain[Level - 1].Function);
  auto Uses = Outside->Tree->invocation(Later[LaterLevel], Later[LaterLevel - 1].Function);
  const FunctionDecl *Body = Inside->Tree->functionAt(Chain[Level - 1]);
  const FunctionDecl *Caller = Posts ? Outside->Tree->functionAround(Posts->Whole) : nullptr;
  if (!Posts || !Uses || !Body || !Caller || Posts->Object || Uses->Object ||
      Body != Inside->Tree->functionAt(Later[LaterLevel - 1]))
    return std::nullopt;
  std::optional<Named> Found = nameInCaller(Files, Chain, Argument, Level - 1);
  auto Given = Found ? handedOver(*Posts, *Caller, *Body, Found->Parts) : std::nullopt;
  return Given && Given == handedOver(*Uses, *Caller, *Body, Found->Parts) ? Found : std::nullopt;
}

std::optional<Named> nameInMember(SourceFiles &Files, const std::vector<Place> &Chain, unsigned Argument,
                                  std::size_t Level, const std::vector<Place> &Later,
                                  std::size_t LaterLevel) {
  if (Level == 0 || LaterLevel == 0 || Chain[Level].File != Later[LaterLevel].File)
    return std::nullopt;
  auto Posts = callOnObject(Files, Chain[Level], Chain[Level - 1]);
  auto Uses = callOnObject(Files, Later[LaterLevel], Later[LaterLevel - 1]);
  if (!Posts || !Uses || variables(Posts->Object) != variables(Uses->Object) ||
      cast<CXXMethodDecl>(Posts->Callee)->getParent()->getCanonicalDecl() !=
          cast<CXXMethodDecl>(Uses->Callee)->getParent()->getCanonicalDecl())
    return std::nullopt;
  const Syntax &Tree = *Files.find(Chain[Level].File)->Tree;
  if (Tree.text(Posts->Object->getSourceRange()) != Tree.text(Uses->Object->getSourceRange()))
    return std::nullopt;
  std::optional<Named> Found = nameInCaller(Files, Chain, Argument, Level - 1);
  auto IsOfObject = [](const Expr *Part) {
    std::vector<const VarDecl *> All = variables(Part);
    return std::all_of(All.begin(), All.end(), [](const VarDecl *V) { return V->hasGlobalStorage(); });
  };
  return Found && std::all_of(Found->Parts.begin(), Found->Parts.end(), IsOfObject) ? Found : std::nullopt;
}

bool isStillThere(const EditedFile &F, const Slot &At, const Named &What) {
  if (!What.Since.Line || What.Since.File != F.Name)
    return true;
  Carriers Followed = What.Through;
  for (const Expr *Name : What.Names)
    Followed.merge(carriersIn(Name));
  return !mayHaveEnded(*F.Tree, Followed, F.Tree->offsetOf(What.Since), At);
}

bool fits(const EditedFile &F, const Slot &At, const Named &What) {
  auto IsVisible = [&](const Expr *Part) { return F.Tree->visible(Part, At); };
  auto IsAccessible = [&](const Expr *Name) {
    auto All = variables(Name);
    return accessible(Name, *At.Function) && F.Tree->knowsMembers(Name) &&
           std::all_of(All.begin(), All.end(),
                       [&](const VarDecl *V) { return !V->isFileVarDecl() || F.Tree->visible(V, At); });
  };
  return std::all_of(What.Parts.begin(), What.Parts.end(), IsVisible) &&
         std::all_of(What.Names.begin(), What.Names.end(), IsAccessible) && isStillThere(F, At, What);
}

} // namespace rdma::source
