#include "rewriter/source/Syntax.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace rdma::source {
namespace {

using namespace clang;

/// Is the variable written again, or its address taken?
class Changes : public RecursiveASTVisitor<Changes> {
public:
  explicit Changes(const ValueDecl *V) : V(V) {}

  bool VisitBinaryOperator(BinaryOperator *B) {
    return !(Found |= B->isAssignmentOp() && names(B->getLHS()));
  }
  bool VisitUnaryOperator(UnaryOperator *U) {
    bool Changes = U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf;
    return !(Found |= Changes && names(U->getSubExpr()));
  }
  /// By reference to a function, or a lambda that may do so.
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    return !(Found |= E->getDecl() == V && E->refersToEnclosingVariableOrCapture());
  }
  bool VisitCallExpr(CallExpr *C) {
    for (const Expr *Argument : C->arguments())
      Found |= Argument->isLValue() && names(Argument);
    return !Found;
  }
  bool shouldVisitLambdaBody() const { return true; }

  bool Found = false;

private:
  bool names(const Expr *E) const {
    auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParens());
    return Ref && Ref->getDecl() == V;
  }
  const ValueDecl *V;
};

} // namespace

const Expr *whatItStandsFor(const ValueDecl *V) {
  auto *Local = dyn_cast<VarDecl>(V);
  auto *In = Local && Local->hasLocalStorage() && !isa<ParmVarDecl>(Local)
                 ? dyn_cast<FunctionDecl>(Local->getDeclContext())
                 : nullptr;
  if (!In || !In->hasBody() || !Local->getInit() || Local->getInit()->HasSideEffects(Local->getASTContext()))
    return nullptr;
  if (Local->getType()->isReferenceType())
    return Local->getInit();
  if (!Local->getType()->isPointerType())
    return nullptr;
  return staysIn(*In, V) ? Local->getInit() : nullptr;
}

bool staysIn(const FunctionDecl &Body, const ValueDecl *V) {
  Changes All(V);
  All.TraverseStmt(Body.getBody());
  return !All.Found;
}

} // namespace rdma::source
