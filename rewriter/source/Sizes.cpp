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
    if (Right && (Code == BO_EQ || Code == BO_GE))
      note(Ends, *Right);
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    const Expr *Base = E->getBase()->IgnoreParenImpCasts();
    auto *Array = Context.getAsConstantArrayType(Base->getType());
    if (Array && !number(E->getIdx()))
      note(Array->getSize().getLimitedValue(), Base, Array->getElementType());
    return true;
  }
  /// std::array
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() != OO_Subscript || number(E->getArg(1)))
      return true;
    auto *Array =
        dyn_cast_or_null<ClassTemplateSpecializationDecl>(E->getArg(0)->getType()->getAsRecordDecl());
    if (Array && Array->isInStdNamespace() && Array->getName() == "array")
      note(Array->getTemplateArgs()[1].getAsIntegral().getLimitedValue(), E->getArg(0)->IgnoreParenImpCasts(),
           Array->getTemplateArgs()[0].getAsType());
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *Callee = C->getDirectCallee(), *Body = nullptr;
    if (Callee && Callee->hasBody(Body))
      Called.push_back(Body);
    return true;
  }
  bool shouldVisitLambdaBody() const { return true; }

  std::vector<unsigned> Moduli, Ends;
  std::vector<Sizes::Array> Arrays;
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

  void note(std::uint64_t Count, const Expr *Array, QualType Element) {
    if (Count <= 1 || Count > Largest)
      return;
    Sizes::Array Found{unsigned(Count), {}, {}, {}, false, Element->isScalarType()};
    if (auto *Variable = dyn_cast<DeclRefExpr>(Array))
      Found.Variable = Variable->getDecl()->getNameAsString();
    auto *Member = dyn_cast<MemberExpr>(Array);
    if (auto *Of = Member ? dyn_cast<RecordDecl>(Member->getMemberDecl()->getDeclContext()) : nullptr)
      Found.In = Of->getQualifiedNameAsString();
    Found.IsPart = isElement(Member ? Member->getBase() : Array);
    addParts(Element, Found.Inside);
    Arrays.push_back(std::move(Found));
  }
  static bool isElement(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
    return isa<ArraySubscriptExpr>(E) || (Operator && Operator->getOperator() == OO_Subscript);
  }
  /// The classes of which the type has an object in it.
  void addParts(QualType Type, std::set<std::string> &To) const {
    while (auto *Array = Context.getAsArrayType(Type))
      Type = Array->getElementType();
    const RecordDecl *Of = Type->getAsRecordDecl();
    if (!Of || !To.insert(Of->getQualifiedNameAsString()).second)
      return;
    for (const FieldDecl *Part : Of->fields())
      addParts(Part->getType(), To);
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
  Ends.insert(Found.Ends.begin(), Found.Ends.end());
  Arrays.insert(Arrays.end(), Found.Arrays.begin(), Found.Arrays.end());
}

std::vector<unsigned> Sizes::likeliest(const std::string &Buffers, std::size_t Most) const {
  auto IsNamed = [&](const Array &A) { return !A.Variable.empty() && A.Variable == Buffers; };
  const bool AreNamed = std::any_of(Arrays.begin(), Arrays.end(), IsNamed);
  auto MayBe = [&](const Array &A) {
    auto HoldsIt = [&](const Array &Other) { return Other.Inside.contains(A.In); };
    const bool IsPart = A.IsPart || std::any_of(Arrays.begin(), Arrays.end(), HoldsIt);
    return !(A.IsOfNumbers && IsPart) && (A.Variable.empty() || !AreNamed || IsNamed(A));
  };
  std::set<unsigned, std::greater<>> Counts(Moduli.begin(), Moduli.end());
  for (const Array &A : Arrays)
    if (MayBe(A))
      Counts.insert(A.Count);
  // No index of the array goes on to where it has no element.
  for (const Array &A : Arrays)
    if (IsNamed(A))
      Counts.erase(Counts.begin(), Counts.lower_bound(A.Count));
  std::vector<unsigned> Found(Counts.begin(), Counts.end());
  for (auto End = Ends.rbegin(); End != Ends.rend() && Found.empty(); ++End)
    Found.push_back(*End);
  Found.resize(std::min(Found.size(), Most));
  return Found;
}

} // namespace rdma::source
