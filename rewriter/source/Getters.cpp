#include "rewriter/source/Syntax.h"

#include <clang/AST/ExprCXX.h>

namespace rdma::source {
namespace {

using namespace clang;

/// What both methods of a class would find behind their `this`.
bool isSame(const Expr *A, const Expr *B) {
  A = A->IgnoreParenImpCasts();
  B = B->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(A))
    return isa<CXXThisExpr>(B);
  if (auto *Member = dyn_cast<MemberExpr>(A)) {
    auto *Other = dyn_cast<MemberExpr>(B);
    return Other && Member->getMemberDecl() == Other->getMemberDecl() &&
           isSame(Member->getBase(), Other->getBase());
  }
  auto *Call = dyn_cast<CXXMemberCallExpr>(A), *Other = dyn_cast<CXXMemberCallExpr>(B);
  return Call && Other && Call->getNumArgs() == 0 && Other->getNumArgs() == 0 &&
         isSame(Call->getCallee(), Other->getCallee());
}

/// Is one of the members that lead there the class's own affair?
bool isHidden(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (auto *Call = dyn_cast<CXXMemberCallExpr>(E))
    return isHidden(Call->getCallee());
  auto *Member = dyn_cast<MemberExpr>(E);
  return Member && (Member->getMemberDecl()->getAccess() != AS_public || isHidden(Member->getBase()));
}

/// The class of the object whose member, or member's member, the expression is.
const CXXRecordDecl *classOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (auto *This = dyn_cast<CXXThisExpr>(E))
    return This->getType()->getPointeeCXXRecordDecl();
  if (auto *Member = dyn_cast<MemberExpr>(E))
    return classOf(Member->getBase());
  auto *Call = dyn_cast<CXXMemberCallExpr>(E);
  return Call && Call->getNumArgs() == 0 ? classOf(Call->getCallee()) : nullptr;
}

const Expr *whatItReturns(const CXXMethodDecl *M) {
  const FunctionDecl *Defined = nullptr;
  auto *Body = M->hasBody(Defined) ? dyn_cast<CompoundStmt>(Defined->getBody()) : nullptr;
  auto *Return = Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(Body->body_front()) : nullptr;
  return Return ? Return->getRetValue() : nullptr;
}

} // namespace

Getter getterOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  const CXXRecordDecl *Class = isHidden(E) ? classOf(E) : nullptr;
  if (!Class || Class->isLambda())
    return {};
  for (const CXXMethodDecl *M : Class->methods()) {
    if (M->getAccess() != AS_public || M->isStatic() || M->isVirtual() || M->getNumParams() != 0 ||
        !M->getIdentifier())
      continue;
    const Expr *Returned = whatItReturns(M);
    if (Returned && isSame(E, Returned))
      return {M};
    auto *Unary = Returned ? dyn_cast<UnaryOperator>(Returned->IgnoreParenImpCasts()) : nullptr;
    if (!Unary || !isSame(E, Unary->getSubExpr()))
      continue;
    if (Unary->getOpcode() == UO_AddrOf)
      return {M, "*"};
    if (Unary->getOpcode() == UO_Deref && M->getReturnType()->isReferenceType())
      return {M, "&"};
  }
  return {};
}

} // namespace rdma::source
