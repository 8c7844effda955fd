#include "rewriter/source/Sizes.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

namespace rdma::source {
namespace {

using namespace clang;

constexpr unsigned Largest = 1 << 16;

class Indices : public RecursiveASTVisitor<Indices> {
public:
  explicit Indices(ASTContext &Context) : Context(Context) {}

  bool VisitBinaryOperator(BinaryOperator *B) {
    auto Code = B->getOpcode();
    auto Right = number(B->getRHS());
    if (Right && (Code == BO_Rem || Code == BO_RemAssign))
      note(Moduli, *Right);
    if (Right && (Code == BO_And || Code == BO_AndAssign) && (*Right & (*Right + 1)) == 0)
      note(Moduli, *Right + 1);
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    auto *Array = Context.getAsConstantArrayType(E->getBase()->IgnoreParenImpCasts()->getType());
    if (Array && !number(E->getIdx()))
      note(Extents, Array->getSize().getLimitedValue());
    return true;
  }
  /// std::array
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() != OO_Subscript || number(E->getArg(1)))
      return true;
    auto *Array =
        dyn_cast_or_null<ClassTemplateSpecializationDecl>(E->getArg(0)->getType()->getAsRecordDecl());
    if (Array && Array->isInStdNamespace() && Array->getName() == "array")
      note(Extents, Array->getTemplateArgs()[1].getAsIntegral().getLimitedValue());
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *Callee = C->getDirectCallee(), *Body = nullptr;
    if (Callee && Callee->hasBody(Body))
      Called.push_back(Body);
    return true;
  }
  bool shouldVisitLambdaBody() const { return true; }

  std::vector<unsigned> Moduli, Extents;
  std::vector<const FunctionDecl *> Called;

private:
  std::optional<std::uint64_t> number(const Expr *E) const {
    Expr::EvalResult Value;
    if (E->isValueDependent() || !E->EvaluateAsInt(Value, Context) || Value.Val.getInt().isNegative())
      return std::nullopt;
    return Value.Val.getInt().getLimitedValue();
  }
  static void note(std::vector<unsigned> &To, std::uint64_t Count) {
    if (Count > 1 && Count <= Largest)
      To.push_back(Count);
  }

  ASTContext &Context;
};

} // namespace

void Sizes::addFrom(const Syntax &S, const Place &Where) {
  const FunctionDecl *F = S.functionAt(Where);
  if (!F || !F->hasBody() || !Seen.insert(F).second)
    return;
  Indices Found(S.Context);
  Found.TraverseStmt(F->getBody());
  // Which slot is next, a helper may say.
  std::vector<const FunctionDecl *> Helpers = Found.Called;
  for (const FunctionDecl *Helper : Helpers)
    if (!S.Context.getSourceManager().isInSystemHeader(Helper->getLocation()) && Seen.insert(Helper).second)
      Found.TraverseStmt(Helper->getBody());
  Moduli.insert(Found.Moduli.begin(), Found.Moduli.end());
  Extents.insert(Found.Extents.begin(), Found.Extents.end());
}

std::vector<unsigned> Sizes::likeliest(std::size_t Most) const {
  std::vector<unsigned> Found(Moduli.begin(), Moduli.end());
  for (unsigned Count : Extents)
    if (!Moduli.contains(Count))
      Found.push_back(Count);
  Found.resize(std::min(Found.size(), Most));
  return Found;
}

} // namespace rdma::source
