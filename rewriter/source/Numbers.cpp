#include "rewriter/source/Numbers.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <optional>

namespace rdma::source {

using namespace clang;

namespace {

constexpr std::size_t MostNumbers = 64;
constexpr unsigned Deepest = 24;

/// One name for a declaration in all sources: what is not visible elsewhere, or is in a header, by its place.
std::string keyOf(const NamedDecl *D) {
  D = cast<NamedDecl>(D->getCanonicalDecl());
  if (auto *P = dyn_cast<ParmVarDecl>(D))
    if (auto *F = dyn_cast<FunctionDecl>(P->getDeclContext()))
      return keyOf(F) + "#" + std::to_string(P->getFunctionScopeIndex());
  if (D->isExternallyVisible() && D->hasLinkage() && !isa<FieldDecl>(D)) {
    auto *F = dyn_cast<FunctionDecl>(D);
    return D->getQualifiedNameAsString() +
           (F && D->getASTContext().getLangOpts().CPlusPlus ? " " + F->getType().getAsString() : "");
  }
  const SourceManager &M = D->getASTContext().getSourceManager();
  return D->getNameAsString() + "@" + M.getExpansionLoc(D->getLocation()).printToString(M);
}

/// What a number can be stored in: a variable, a member, or an array of them. Null for anything else.
const ValueDecl *placeIn(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (auto *Element = dyn_cast<ArraySubscriptExpr>(E))
    return placeIn(Element->getBase());
  if (auto *Ref = dyn_cast<DeclRefExpr>(E))
    return dyn_cast<VarDecl>(Ref->getDecl());
  auto *Member = dyn_cast<MemberExpr>(E);
  return Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
}

QualType elementOf(QualType T) {
  while (const ArrayType *A = T.isNull() ? nullptr : T->getAsArrayTypeUnsafe())
    T = A->getElementType();
  return T;
}

bool holdsNumbers(const ValueDecl *D) {
  QualType T = elementOf(D->getType());
  return T->isIntegralOrEnumerationType() || T->isDependentType();
}

/// The arguments as the parameters see them: the object of an operator that is a member is none of them.
unsigned firstArgument(const CallExpr &Call) {
  return isa<CXXOperatorCallExpr>(Call) && isa_and_nonnull<CXXMethodDecl>(Call.getDirectCallee()) ? 1 : 0;
}

/// Functions of the system that change what they get, and only so that numbers become zero.
bool isHarmless(const FunctionDecl *F) {
  if (!F->getIdentifier())
    return false;
  StringRef Name = F->getName();
  return Name.starts_with("ibv_") || Name.starts_with("rdma_") || Name.starts_with("__ibv_") ||
         Name.contains("memset") || Name == "bzero" || Name == "free";
}

Bits combined(BinaryOperatorKind Kind, const Bits &A, const Bits &B) {
  const bool Known = A.Set == A.Possible && B.Set == B.Possible;
  std::uint64_t Sure = ~(A.Set ^ A.Possible) & ~(B.Set ^ B.Possible), Differ = (A.Set ^ B.Set) & Sure;
  auto exactly = [&](std::uint64_t Number) { return Known ? Bits{Number, Number} : Bits(); };
  switch (Kind) {
  case BO_Or:
    return {A.Set | B.Set, A.Possible | B.Possible};
  case BO_And:
    return {A.Set & B.Set, A.Possible & B.Possible};
  case BO_Xor:
    return {Differ, Differ | ~Sure};
  case BO_Add:
    return exactly(A.Set + B.Set);
  case BO_Sub:
    return exactly(A.Set - B.Set);
  case BO_Shl:
    return B.Set < 64 ? exactly(A.Set << B.Set) : Bits();
  case BO_Mul: // of a condition
    return Known             ? exactly(A.Set * B.Set)
           : A.Possible == 1 ? Bits{0, B.Possible}
           : B.Possible == 1 ? Bits{0, A.Possible}
                             : Bits();
  default:
    return {};
  }
}

std::set<Bits> combined(BinaryOperatorKind Kind, const std::set<Bits> &Left, const std::set<Bits> &Right) {
  std::set<Bits> Result;
  for (const Bits &A : Left)
    for (const Bits &B : Right)
      Result.insert(combined(Kind, A, B));
  return Result.size() > MostNumbers ? std::set{Bits()} : Result;
}

} // namespace

/// Everything that the sources put anywhere.
struct Numbers::Stores {
  struct Store {
    const Expr *Value; ///< null: zero
    const ASTContext *Context;
    std::optional<BinaryOperatorKind> With = {}; ///< of what was there
  };
  std::map<std::string, std::vector<Store>> In; ///< also in parameters
  std::map<std::string, std::vector<Store>> Returned;
  std::set<std::string> Lost; ///< changed in a way that is not followed, or called from where is not known
  std::set<std::string> Given;
  std::vector<const RecordDecl *> Open; ///< objects of these went to code that is not given
};

namespace {

/// What a function returns, not what a lambda in it does.
class Returns : public RecursiveASTVisitor<Returns> {
public:
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool VisitReturnStmt(ReturnStmt *R) {
    if (R->getRetValue())
      Found.push_back(R->getRetValue());
    return true;
  }
  std::vector<const Expr *> Found;
};

template <typename Stores> class Gather : public RecursiveASTVisitor<Gather<Stores>> {
public:
  Gather(const ASTContext &Context, Stores &All) : Context(Context), All(All) {}

  bool VisitVarDecl(VarDecl *D) {
    if (D->isThisDeclarationADefinition() == VarDecl::DeclarationOnly || isa<ParmVarDecl>(D))
      return true;
    if (D->getType()->isReferenceType() && D->hasInit() &&
        !D->getType().getNonReferenceType().isConstQualified())
      lose(D->getInit());
    if (!holdsNumbers(D))
      return true;
    All.Given.insert(keyOf(D));
    if (D->hasInit())
      storeEach(D, D->getInit());
    else if (D->hasGlobalStorage())
      store(D, nullptr);
    return true;
  }
  bool VisitFieldDecl(FieldDecl *D) {
    if (D->hasInClassInitializer() && D->getInClassInitializer() && holdsNumbers(D))
      storeEach(D, D->getInClassInitializer());
    return true;
  }
  bool VisitCXXConstructorDecl(CXXConstructorDecl *D) {
    for (const CXXCtorInitializer *Init : D->inits())
      if (Init->isMemberInitializer() && holdsNumbers(Init->getMember()))
        storeEach(Init->getMember(), Init->getInit());
    return true;
  }
  bool VisitInitListExpr(InitListExpr *E) {
    storeMembers(E->isSemanticForm() ? E : E->getSemanticForm());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    const ValueDecl *To = B->isAssignmentOp() ? placeIn(B->getLHS()) : nullptr;
    if (!To || !holdsNumbers(To))
      return true;
    All.In[keyOf(To)].push_back(
        {B->getRHS(), &Context,
         B->isCompoundAssignmentOp()
             ? std::optional(BinaryOperator::getOpForCompoundAssignment(B->getOpcode()))
             : std::nullopt});
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) {
    if (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf)
      lose(U->getSubExpr());
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    Subscripted.insert(E->getBase()->IgnoreParenImpCasts());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (auto *F = dyn_cast<FunctionDecl>(E->getDecl()); F && !Callees.contains(E))
      All.Lost.insert(keyOf(F));
    loseArray(E, dyn_cast<VarDecl>(E->getDecl()));
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    loseArray(E, dyn_cast<FieldDecl>(E->getMemberDecl()));
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    Callees.insert(C->getCallee()->IgnoreParenImpCasts());
    const FunctionDecl *Callee = C->getDirectCallee();
    std::vector<const Expr *> Arguments(C->arg_begin() + std::min(firstArgument(*C), C->getNumArgs()),
                                        C->arg_end());
    pass(Callee, Arguments);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *C) {
    pass(C->getConstructor(), std::vector<const Expr *>(C->arg_begin(), C->arg_end()));
    return true;
  }
  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->doesThisDeclarationHaveABody())
      giveBody(F);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *L) {
    giveBody(L->getCallOperator());
    return true;
  }
  bool shouldVisitTemplateInstantiations() const { return true; }

private:
  void giveBody(const FunctionDecl *F) {
    All.Given.insert(keyOf(F));
    Returns R;
    R.TraverseStmt(F->getBody());
    for (const Expr *Value : R.Found)
      All.Returned[keyOf(F)].push_back({Value, &Context});
  }

  void store(const ValueDecl *To, const Expr *Value) { All.In[keyOf(To)].push_back({Value, &Context}); }

  /// Each element, where it is an array.
  void storeEach(const ValueDecl *To, const Expr *Value) {
    auto *List = dyn_cast<InitListExpr>(Value);
    if (!List)
      return store(To, isa<ImplicitValueInitExpr>(Value) ? nullptr : Value);
    for (const Expr *Each : List->inits())
      storeEach(To, Each);
    if (List->hasArrayFiller() || List->getNumInits() == 0)
      store(To, nullptr);
  }

  void storeMembers(const InitListExpr *List) {
    const RecordDecl *Of = List ? List->getType()->getAsRecordDecl() : nullptr;
    if (!Of || Of->isUnion())
      return;
    for (const FieldDecl *F : Of->fields()) {
      const Expr *Init =
          F->getFieldIndex() < List->getNumInits() ? List->getInit(F->getFieldIndex()) : nullptr;
      if (Init && holdsNumbers(F))
        storeEach(F, Init);
      else if (auto *Inner = dyn_cast_or_null<InitListExpr>(Init))
        storeMembers(Inner);
    }
  }

  void pass(const FunctionDecl *Callee, const std::vector<const Expr *> &Arguments) {
    for (unsigned A = 0; A < Arguments.size(); ++A) {
      const ParmVarDecl *To = Callee && A < Callee->getNumParams() ? Callee->getParamDecl(A) : nullptr;
      if (To && To->getType()->isReferenceType() && !To->getType().getNonReferenceType().isConstQualified())
        lose(Arguments[A]);
      else if (To && holdsNumbers(To))
        store(To, Arguments[A]);
      if (!Callee || (!Callee->hasBody() && !isHarmless(Callee)))
        open(Arguments[A]);
    }
  }

  /// An object whose address goes to code that is not given.
  void open(const Expr *Argument) {
    QualType T = Argument->IgnoreParenCasts()->getType();
    if (T->isPointerType() && !T->getPointeeType().isConstQualified())
      if (const RecordDecl *Of = T->getPointeeType()->getAsRecordDecl())
        All.Open.push_back(Of);
  }

  void lose(const Expr *Place) {
    if (const ValueDecl *D = placeIn(Place); D && holdsNumbers(D))
      All.Lost.insert(keyOf(D));
  }
  void loseArray(const Expr *E, const ValueDecl *D) {
    if (D && D->getType()->isArrayType() && holdsNumbers(D) && !Subscripted.contains(E) &&
        !elementOf(D->getType()).isConstQualified())
      All.Lost.insert(keyOf(D));
  }

  const ASTContext &Context;
  Stores &All;
  std::set<const Expr *> Callees, Subscripted;
};

} // namespace

Numbers::Numbers(const std::vector<const Syntax *> &Sources) : All(std::make_unique<Stores>()) {
  for (const Syntax *S : Sources)
    Gather<Stores>(S->Context, *All).TraverseAST(S->Context);
  std::set<std::string> Seen;
  while (!All->Open.empty()) {
    const RecordDecl *Of = All->Open.back();
    All->Open.pop_back();
    if (!Of->getDefinition() || !Seen.insert(keyOf(Of)).second)
      continue;
    for (const FieldDecl *F : Of->getDefinition()->fields()) {
      All->Lost.insert(keyOf(F));
      if (const RecordDecl *Inner = elementOf(F->getType())->getAsRecordDecl())
        All->Open.push_back(Inner);
    }
  }
}
Numbers::~Numbers() = default;

std::set<Bits> Numbers::of(const Expr *E, const ASTContext &Context) {
  Found.clear();
  return of(E, Context, 0);
}

std::set<Bits> Numbers::of(const Expr *E, const ASTContext &Context, unsigned Depth) {
  const std::set<Bits> Unknown = {Bits()};
  E = E->IgnoreParenCasts();
  Expr::EvalResult Value;
  if (Depth > Deepest || E->isValueDependent())
    return Unknown;
  if (E->EvaluateAsInt(Value, Context)) {
    std::uint64_t Number = Value.Val.getInt().extOrTrunc(64).getZExtValue();
    return {{Number, Number}};
  }
  if (auto *Default = dyn_cast<CXXDefaultArgExpr>(E))
    return of(Default->getExpr(), Context, Depth + 1);
  if (auto *Choice = dyn_cast<AbstractConditionalOperator>(E)) {
    std::set<Bits> Both = of(Choice->getTrueExpr(), Context, Depth + 1);
    Both.merge(of(Choice->getFalseExpr(), Context, Depth + 1));
    return Both;
  }
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return ofBinary(*B, Context, Depth);
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Not) {
    std::set<Bits> Result;
    for (const Bits &Each : of(U->getSubExpr(), Context, Depth + 1))
      Result.insert({~Each.Possible, ~Each.Set});
    return Result;
  }
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_LNot)
    return {{0, 1}};
  if (auto *Call = dyn_cast<CallExpr>(E))
    return ofCall(*Call, Context, Depth);
  const ValueDecl *From = placeIn(E);
  return From && holdsNumbers(From) ? at(keyOf(From), Depth + 1) : Unknown;
}

std::set<Bits> Numbers::ofBinary(const BinaryOperator &B, const ASTContext &Context, unsigned Depth) {
  if (B.isComparisonOp() || B.isLogicalOp())
    return {{0, 1}};
  if (B.getOpcode() == BO_Comma || B.getOpcode() == BO_Assign)
    return of(B.getRHS(), Context, Depth + 1);
  if (B.isAssignmentOp()) {
    const ValueDecl *To = placeIn(B.getLHS());
    return To ? at(keyOf(To), Depth + 1) : std::set{Bits()};
  }
  return combined(B.getOpcode(), of(B.getLHS(), Context, Depth + 1), of(B.getRHS(), Context, Depth + 1));
}

std::set<Bits> Numbers::ofCall(const CallExpr &Call, const ASTContext &, unsigned Depth) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  auto Known = Callee ? All->Returned.find(keyOf(Callee)) : All->Returned.end();
  if (Known == All->Returned.end() || (Method && Method->isVirtual()))
    return {Bits()};
  std::set<Bits> Result;
  for (const Stores::Store &Each : Known->second)
    Result.merge(of(Each.Value, *Each.Context, Depth + 1));
  return Result;
}

/// All that is stored there; again until there is nothing new, as that may be made of what was there before.
std::set<Bits> Numbers::at(const std::string &Key, unsigned Depth) {
  auto In = All->In.find(Key);
  const bool IsParameter = Key.find('#') != std::string::npos;
  const bool Lost =
      All->Lost.contains(Key) || (IsParameter && All->Lost.contains(Key.substr(0, Key.rfind('#'))));
  if (Lost || In == All->In.end())
    return {Bits()};
  if (!Working.insert(Key).second)
    return Found[Key];
  for (bool Grows = true; Grows;) {
    std::set<Bits> Now = Found[Key];
    for (const Stores::Store &Each : In->second) {
      std::set<Bits> Values = Each.Value ? of(Each.Value, *Each.Context, Depth + 1) : std::set{Bits{0, 0}};
      if (Each.With)
        Values = combined(*Each.With, Found[Key], Values);
      Now.merge(Values);
    }
    if (Now.size() > MostNumbers)
      Now = {Bits()};
    Grows = Now != Found[Key] && !Found[Key].contains(Bits());
    Found[Key] = Now;
  }
  Working.erase(Key);
  return Found[Key];
}

} // namespace rdma::source
