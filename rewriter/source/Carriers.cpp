#include "rewriter/source/Carriers.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

namespace rdma::source {

using namespace clang;

const ValueDecl *named(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (auto *Ref = dyn_cast<DeclRefExpr>(E))
    return Ref->getDecl();
  auto *Member = dyn_cast<MemberExpr>(E);
  return Member ? Member->getMemberDecl() : nullptr;
}

namespace {

bool leadsOn(OverloadedOperatorKind K) { return K == OO_Arrow || K == OO_Star || K == OO_Subscript; }

/// What an expression goes through to get at something else; null when it does not.
const Expr *followedBy(const Expr *E) {
  if (auto *Member = dyn_cast<MemberExpr>(E))
    return Member->isArrow() ? Member->getBase() : nullptr;
  if (auto *Unary = dyn_cast<UnaryOperator>(E))
    return Unary->getOpcode() == UO_Deref ? Unary->getSubExpr() : nullptr;
  if (auto *Index = dyn_cast<ArraySubscriptExpr>(E))
    return Index->getBase()->IgnoreParenImpCasts()->getType()->isPointerType() ? Index->getBase() : nullptr;
  if (auto *Call = dyn_cast<CXXOperatorCallExpr>(E))
    return leadsOn(Call->getOperator()) ? Call->getArg(0) : nullptr;
  auto *Call = dyn_cast<CXXMemberCallExpr>(E);
  bool OfLibrary = Call && Call->getRecordDecl() && Call->getRecordDecl()->isInStdNamespace();
  return OfLibrary ? Call->getImplicitObjectArgument() : nullptr;
}

class Followed : public RecursiveASTVisitor<Followed> {
public:
  bool VisitExpr(Expr *E) {
    const Expr *Base = followedBy(E);
    if (const ValueDecl *D = Base ? named(Base) : nullptr)
      Found.insert(D);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const Expr *Meant = whatItStandsFor(E->getDecl()))
      Found.merge(carriersIn(Meant));
    return true;
  }
  Carriers Found;
};

/// Which calls, deletes and assignments of a function's body end one, and where else one is used.
class Ends : public RecursiveASTVisitor<Ends> {
public:
  Ends(const SourceManager &M, Carriers Of, unsigned Depth = 0) : M(M), Of(std::move(Of)), Depth(Depth) {}

  bool VisitBinaryOperator(BinaryOperator *B) { return note(B, B->isAssignmentOp() && ofThem(B->getLHS())); }
  bool VisitUnaryOperator(UnaryOperator *U) {
    return note(U, U->isIncrementDecrementOp() && ofThem(U->getSubExpr()));
  }
  bool VisitCXXDeleteExpr(CXXDeleteExpr *D) { return note(D, ofThem(D->getArgument())); }
  bool VisitCallExpr(CallExpr *C) { return note(C, ends(C)); }
  bool VisitExpr(Expr *E) {
    // An empty container can be asked, too.
    if (const Expr *Base = followedBy(E); Base && ofThem(Base) && !isa<CXXMemberCallExpr>(E))
      Uses.push_back(E);
    return true;
  }
  bool shouldVisitLambdaBody() const { return true; }

  std::vector<const Expr *> Found, Uses;

private:
  bool ofThem(const Expr *E) const { return Of.contains(named(E)); }
  bool note(const Expr *E, bool Ends) {
    if (Ends)
      Found.push_back(E);
    return true;
  }

  bool ends(const CallExpr *C) {
    if (auto *Operator = dyn_cast<CXXOperatorCallExpr>(C))
      return Operator->isAssignmentOp() && ofThem(C->getArg(0));
    const FunctionDecl *Callee = C->getDirectCallee(), *Body = nullptr;
    bool Any = std::any_of(C->arg_begin(), C->arg_end(), [&](const Expr *A) { return ofThem(A); });
    if (!Callee)
      return Any;
    if (auto *Member = dyn_cast<CXXMemberCallExpr>(C); Member && ofThem(Member->getImplicitObjectArgument()))
      if (Member->getRecordDecl()->isInStdNamespace())
        return changes(*Member->getMethodDecl());
    if (!M.isInSystemHeader(Callee->getLocation()) && Callee->hasBody(Body))
      return Depth < 3 && endsWithin(C, *Body);
    return Any && mayFree(*Callee, C);
  }

  /// What gives access to what is there leaves it there.
  static bool changes(const CXXMethodDecl &M) {
    static constexpr StringRef Looks[] = {"get", "at", "data", "front", "back", "begin", "end", "find"};
    return !M.isConst() && !leadsOn(M.getOverloadedOperator()) &&
           !(M.getIdentifier() && llvm::is_contained(Looks, M.getName()));
  }

  bool endsWithin(const CallExpr *C, const FunctionDecl &Body) const {
    Carriers Inside;
    for (const ValueDecl *D : Of)
      if (auto *V = dyn_cast<VarDecl>(D); !V || V->hasGlobalStorage())
        Inside.insert(D);
    for (unsigned I = 0; I < Body.getNumParams() && I < C->getNumArgs(); ++I)
      if (ofThem(C->getArg(I)))
        Inside.insert(Body.getParamDecl(I));
    if (Inside.empty())
      return false;
    Ends E(M, std::move(Inside), Depth + 1);
    E.TraverseStmt(Body.getBody());
    auto IsOwn = [&](const Expr *End) { // its own copy leads elsewhere, not the caller's
      const Expr *To = End;
      if (auto *Assigned = dyn_cast<BinaryOperator>(End))
        To = Assigned->getLHS();
      else if (auto *Moved = dyn_cast<UnaryOperator>(End))
        To = Moved->getSubExpr();
      else
        return false;
      auto *P = dyn_cast_or_null<ParmVarDecl>(named(To));
      return P && !P->getType()->isReferenceType();
    };
    return !std::all_of(E.Found.begin(), E.Found.end(), IsOwn);
  }

  /// Something else than verbs' own objects, which are looked after elsewhere (Lifetime.h).
  bool mayFree(const FunctionDecl &Callee, const CallExpr *C) const {
    StringRef Name = Callee.getIdentifier() ? Callee.getName() : "";
    if (M.isInSystemHeader(Callee.getLocation()))
      return Name == "free" || Name == "realloc" || Name == "reallocarray" || Name == "move";
    for (unsigned I = 0; I < C->getNumArgs() && I < Callee.getNumParams(); ++I) {
      QualType Given = Callee.getParamDecl(I)->getType();
      const RecordDecl *To = Given->isPointerType() ? Given->getPointeeType()->getAsRecordDecl() : nullptr;
      bool Verbs = To && To->getName().starts_with("ibv_");
      if (ofThem(C->getArg(I)) && (Given->isPointerType() || Given->isReferenceType()) && !Verbs &&
          !Given->getPointeeType().isConstQualified())
        return true;
    }
    return false;
  }

  const SourceManager &M;
  const Carriers Of;
  const unsigned Depth;
};

/// The offsets of the outermost loop that has both places in it.
std::optional<std::pair<unsigned, unsigned>> loopAround(const Syntax &S, const FunctionDecl &In, unsigned A,
                                                        unsigned B) {
  struct Loops : RecursiveASTVisitor<Loops> {
    Loops(const Syntax &S, unsigned A, unsigned B) : S(S), A(A), B(B) {}
    bool VisitStmt(Stmt *X) {
      if (Found || !isa<WhileStmt, DoStmt, ForStmt, CXXForRangeStmt>(X))
        return true;
      auto [Begin, End] = S.extent(X);
      if (Begin <= std::min(A, B) && std::max(A, B) < End)
        Found = {Begin, End};
      return true;
    }
    const Syntax &S;
    const unsigned A, B;
    std::optional<std::pair<unsigned, unsigned>> Found;
  } L(S, A, B);
  L.TraverseStmt(In.getBody());
  return L.Found;
}

} // namespace

Carriers carriersIn(const Expr *E) {
  Followed F;
  F.TraverseStmt(const_cast<Expr *>(E));
  if (const ValueDecl *D = named(E); D && D->getType()->isPointerType())
    F.Found.insert(D);
  return F.Found;
}

/// What ends one of them somewhere in the function, but for those that are used behind the offset.
static std::vector<const Expr *> endsOf(const Syntax &S, const Carriers &Followed, const FunctionDecl &In,
                                        unsigned Until) {
  std::vector<const Expr *> Found;
  for (const ValueDecl *Each : Followed) {
    Ends E(S.Context.getSourceManager(), {Each});
    E.TraverseStmt(In.getBody());
    auto IsBehind = [&](const Expr *Use) { return S.offset(Use->getExprLoc()) >= Until; };
    if (std::none_of(E.Uses.begin(), E.Uses.end(), IsBehind))
      Found.insert(Found.end(), E.Found.begin(), E.Found.end());
  }
  return Found;
}

static std::vector<const Expr *> within(const Syntax &S, std::vector<const Expr *> All,
                                        std::pair<unsigned, unsigned> Way) {
  std::erase_if(All, [&](const Expr *End) {
    unsigned Where = S.offset(End->getExprLoc());
    return !(Way.first < Where && Where < Way.second);
  });
  return All;
}

bool mayHaveEnded(const Syntax &S, const Carriers &Followed, unsigned From, const Slot &At) {
  const unsigned To = S.extent(At.At).first;
  std::pair<unsigned, unsigned> Way = {From, To};
  if (To < From)
    Way = loopAround(S, *At.Function, From, To).value_or(std::pair(To, To));
  return !within(S, endsOf(S, Followed, *At.Function, To), Way).empty();
}

std::vector<const Expr *> endedIn(const Syntax &S, const Carriers &Followed, const Slot &At) {
  const auto Extent = S.extent(At.At);
  return within(S, endsOf(S, Followed, *At.Function, Extent.second), Extent);
}

} // namespace rdma::source
