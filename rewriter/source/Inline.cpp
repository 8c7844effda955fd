#include "rewriter/source/Inline.h"

#include "analyzer/clang/frontend/Spelling.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <set>

namespace rdma::source {
namespace {

using namespace clang;

constexpr const char *Asked = "max_inline_data";

const VarDecl *variableBehind(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenImpCasts();
    if (auto *Address = dyn_cast<UnaryOperator>(E))
      E = Address->getSubExpr();
    else if (auto *Member = dyn_cast<MemberExpr>(E))
      E = Member->getBase();
    else
      break;
  }
  auto *Ref = dyn_cast<DeclRefExpr>(E);
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

bool makesPairs(StringRef Name) { return Name.contains("create_qp") || Name.contains("create_ep"); }

/// What one function asks for in one variable, and what else it does to that.
class Attributes : public RecursiveASTVisitor<Attributes> {
public:
  Attributes(const Syntax &S, const VarDecl *V, unsigned Until) : S(S), V(V), Until(Until) {}

  bool VisitBinaryOperator(BinaryOperator *B) {
    if (!B->isAssignmentOp() || !isBefore(B) || variableBehind(B->getLHS()) != V)
      return true;
    auto *Member = dyn_cast<MemberExpr>(B->getLHS()->IgnoreParenImpCasts());
    if (!Member)
      Bytes.reset(); // all of it
    else if (Member->getMemberDecl()->getName() == Asked)
      Bytes = B->getOpcode() == BO_Assign && isOfFunction(B) ? constant(B->getRHS()) : std::nullopt;
    return true;
  }
  /// A call that gets its address may change it; memset does.
  bool VisitCallExpr(CallExpr *C) {
    for (const Expr *Argument : C->arguments())
      if (isBefore(C) && Argument->getType()->isPointerType() && variableBehind(Argument) == V)
        Bytes.reset();
    return true;
  }
  bool VisitVarDecl(VarDecl *D) {
    if (D == V && D->hasInit())
      if (const Expr *Field = member(member(D->getInit(), "cap"), Asked))
        Bytes = constant(Field);
    return true;
  }

  std::optional<std::uint64_t> Bytes;

private:
  bool isBefore(const Stmt *X) const { return S.extent(X).first < Until; }
  bool isOfFunction(const Expr *E) const {
    auto Parents = S.Context.getParents(*E);
    const auto *Block = Parents.empty() ? nullptr : Parents[0].get<CompoundStmt>();
    if (!Block)
      return false;
    auto Outer = S.Context.getParents(*Block);
    return !Outer.empty() && Outer[0].get<FunctionDecl>();
  }
  std::optional<std::uint64_t> constant(const Expr *E) const {
    Expr::EvalResult Value;
    if (E->isValueDependent() || !E->EvaluateAsInt(Value, S.Context))
      return std::nullopt;
    return Value.Val.getInt().getZExtValue();
  }
  static const Expr *member(const Expr *Init, StringRef Name) {
    auto *List = dyn_cast_or_null<InitListExpr>(Init);
    if (List && List->isSyntacticForm() && List->getSemanticForm())
      List = List->getSemanticForm();
    const RecordDecl *Record = List ? List->getType()->getAsRecordDecl() : nullptr;
    if (!Record || Record->isUnion())
      return nullptr;
    for (const FieldDecl *F : Record->fields())
      if (F->getName() == Name && F->getFieldIndex() < List->getNumInits())
        return List->getInit(F->getFieldIndex());
    return nullptr;
  }

  const Syntax &S;
  const VarDecl *V;
  const unsigned Until;
};

/// The queue pairs that functions make, and which functions these use.
class Makers : public RecursiveASTVisitor<Makers> {
public:
  Makers(const Syntax &S, const std::set<std::string> &Given) : S(S), Given(Given) {}

  bool VisitCallExpr(CallExpr *C) {
    const SourceManager &M = S.Context.getSourceManager();
    const FunctionDecl *Callee = C->getDirectCallee();
    if (M.isInSystemHeader(M.getExpansionLoc(C->getBeginLoc())) || !Callee)
      return true;
    if (Callee->getIdentifier() && makesPairs(Callee->getName()) && M.isInSystemHeader(Callee->getLocation()))
      Limits[Around].push_back(limitOf(C));
    else if (!Callee->getBuiltinID() && !M.isInSystemHeader(Callee->getLocation()) &&
             !Given.contains(Callee->getQualifiedNameAsString()) && mayEndPairs(C))
      Limits[Around].push_back(std::nullopt);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (auto *F = dyn_cast<FunctionDecl>(E->getDecl()))
      Uses[Around].insert(F->getCanonicalDecl());
    return true;
  }
  bool TraverseDecl(Decl *D) {
    const FunctionDecl *Outer = Around;
    if (auto *F = dyn_cast_or_null<FunctionDecl>(D); F && F->doesThisDeclarationHaveABody()) {
      Around = F->getCanonicalDecl();
      if (F->isExternallyVisible())
        Uses[nullptr].insert(Around);
    }
    RecursiveASTVisitor::TraverseDecl(D);
    Around = Outer;
    return true;
  }
  bool shouldVisitTemplateInstantiations() const { return true; }

  /// Of what the program may execute: all but functions of the file that nothing uses.
  std::vector<std::optional<std::uint64_t>> limits() {
    std::vector<std::optional<std::uint64_t>> Found;
    std::set<const FunctionDecl *> Seen = {nullptr};
    for (std::vector<const FunctionDecl *> Work = {nullptr}; !Work.empty();) {
      const FunctionDecl *F = Work.back();
      Work.pop_back();
      Found.insert(Found.end(), Limits[F].begin(), Limits[F].end());
      for (const FunctionDecl *Next : Uses[F])
        if (Seen.insert(Next).second)
          Work.push_back(Next);
    }
    return Found;
  }

private:
  std::optional<std::uint64_t> limitOf(const CallExpr *C) const {
    const FunctionDecl *In = nullptr;
    if (!Around || !Around->hasBody(In))
      return std::nullopt;
    for (const Expr *Argument : C->arguments())
      if (const VarDecl *V = variableBehind(Argument);
          V && V->getType()->getAsRecordDecl() &&
          V->getType()->getAsRecordDecl()->getName().starts_with("ibv_qp_init_attr")) {
        Attributes A(S, V, S.extent(C).first);
        A.TraverseStmt(In->getBody());
        return A.Bytes;
      }
    return std::nullopt;
  }

  const Syntax &S;
  const std::set<std::string> &Given; ///< functions of all sources
  const FunctionDecl *Around = nullptr;
  std::map<const FunctionDecl *, std::vector<std::optional<std::uint64_t>>> Limits;
  std::map<const FunctionDecl *, std::set<const FunctionDecl *>> Uses; ///< of null: from anywhere
};

class Bodies : public RecursiveASTVisitor<Bodies> {
public:
  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->doesThisDeclarationHaveABody())
      Names.insert(F->getQualifiedNameAsString());
    return true;
  }
  std::set<std::string> Names;
};

class References : public RecursiveASTVisitor<References> {
public:
  References(const Syntax &S, const FunctionDecl *Called,
             const std::set<std::tuple<std::string, unsigned, unsigned>> &Known)
      : S(S), Called(Called), Known(Known) {}

  bool VisitCallExpr(CallExpr *C) {
    if (isMeant(C->getDirectCallee())) {
      ++Calls;
      Found &= isKnown(C->getExprLoc()) || isKnown(C->getBeginLoc());
    }
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *C) {
    Found &= !isMeant(C->getConstructor()) || isKnown(C->getLocation()) || isKnown(C->getBeginLoc());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) { return count(E->getDecl()); }
  bool VisitMemberExpr(MemberExpr *E) { return count(E->getMemberDecl()); }
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool onlyKnown() const { return Found && Named == Calls; }

private:
  bool count(const ValueDecl *D) {
    Named += isMeant(dyn_cast<FunctionDecl>(D));
    return true;
  }
  bool isMeant(const FunctionDecl *F) const {
    return F && F->getQualifiedNameAsString() == Called->getQualifiedNameAsString();
  }
  bool isKnown(SourceLocation At) const {
    PresumedLoc Where = S.Context.getSourceManager().getPresumedLoc(At);
    return Known.contains({S.file(At), Where.getLine(), Where.getColumn()});
  }

  const Syntax &S;
  const FunctionDecl *Called;
  const std::set<std::tuple<std::string, unsigned, unsigned>> &Known;
  unsigned Calls = 0, Named = 0;
  bool Found = true;
};

} // namespace

std::optional<std::uint64_t> inlineLimit(const std::vector<const Syntax *> &Sources) {
  std::optional<std::uint64_t> Least;
  Bodies Given;
  for (const Syntax *S : Sources)
    Given.TraverseAST(S->Context);
  for (const Syntax *S : Sources) {
    Makers M(*S, Given.Names);
    M.TraverseAST(S->Context);
    for (std::optional<std::uint64_t> Limit : M.limits()) {
      if (!Limit)
        return std::nullopt;
      Least = std::min(Least.value_or(*Limit), *Limit);
    }
  }
  return Least;
}

bool calledOnlyAt(const FunctionDecl *Called, const std::vector<const Syntax *> &Sources,
                  const std::vector<Place> &Known) {
  std::set<std::tuple<std::string, unsigned, unsigned>> At;
  for (const Place &P : Known)
    At.insert({clang_ir::realFile(P.File), P.Line, P.Column});
  return std::all_of(Sources.begin(), Sources.end(), [&](const Syntax *S) {
    References R(*S, Called, At);
    R.TraverseAST(S->Context);
    return R.onlyKnown();
  });
}

} // namespace rdma::source
