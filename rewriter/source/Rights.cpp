#include "rewriter/source/Rights.h"

#include "rewriter/source/Numbers.h"

#include <clang/AST/RecursiveASTVisitor.h>

#include <infiniband/verbs.h>

#include <algorithm>

namespace rdma::source {

using namespace clang;

namespace {

bool isAttribute(const ValueDecl *D, StringRef Name) {
  auto *F = dyn_cast<FieldDecl>(D);
  return F && F->getName() == Name && F->getParent()->getName() == "ibv_qp_attr";
}

/// Which argument of a function that registers memory says what others may do.
std::optional<unsigned> accessOf(StringRef Name) {
  Name.consume_front("__");
  if (Name == "ibv_reg_mr")
    return 3;
  if (Name == "ibv_reg_mr_iova" || Name == "ibv_reg_mr_iova2")
    return 4;
  if (Name == "ibv_reg_dmabuf_mr" || Name == "ibv_rereg_mr")
    return 5;
  return std::nullopt;
}

class Rights : public RecursiveASTVisitor<Rights> {
public:
  Rights(const Syntax &S, const std::string &Source, Numbers &All, Hazards &Found)
      : S(S), Source(Source), All(All), Found(Found) {}

  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *Callee = C->getDirectCallee();
    if (!Callee || !Callee->getIdentifier() || !isOurs(C->getBeginLoc()))
      return true;
    Callees.insert(C->getCallee()->IgnoreParenImpCasts());
    auto Access = accessOf(Callee->getName());
    if (Access && *Access < C->getNumArgs())
      look(C->getArg(*Access), C, Found.NoRead, Found.ReadNotKnown);
    else if (Callee->getName() == "rdma_reg_write")
      noteHazard(S, Source, C->getBeginLoc(), Found.NoRead);
    return true;
  }
  /// Registered through a pointer, where this does not follow.
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    auto *F = dyn_cast<FunctionDecl>(E->getDecl());
    if (F && F->getIdentifier() && accessOf(F->getName()) && !Callees.contains(E) && isOurs(E->getLocation()))
      noteHazard(S, Source, E->getBeginLoc(), Found.ReadNotKnown);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    auto *Member = B->isAssignmentOp() ? dyn_cast<MemberExpr>(B->getLHS()->IgnoreParenImpCasts()) : nullptr;
    if (!Member || !isOurs(B->getBeginLoc()))
      return true;
    if (isAttribute(Member->getMemberDecl(), "qp_access_flags"))
      lookAtPair(B->getOpcode() == BO_Assign ? B->getRHS() : B, B);
    else if (isAttribute(Member->getMemberDecl(), "max_rd_atomic") ||
             isAttribute(Member->getMemberDecl(), "max_dest_rd_atomic"))
      lookAtCount(B->getRHS());
    return true;
  }
  bool VisitInitListExpr(InitListExpr *E) {
    if (!E->isSemanticForm())
      E = E->getSemanticForm();
    const RecordDecl *Of = E ? E->getType()->getAsRecordDecl() : nullptr;
    if (!Of || Of->getName() != "ibv_qp_attr" || !isOurs(E->getBeginLoc()))
      return true;
    for (const FieldDecl *F : Of->fields()) {
      const Expr *Init = F->getFieldIndex() < E->getNumInits() ? E->getInit(F->getFieldIndex()) : nullptr;
      if (!Init || isa<ImplicitValueInitExpr>(Init))
        continue;
      if (isAttribute(F, "qp_access_flags"))
        lookAtPair(Init, Init);
      else if (isAttribute(F, "max_rd_atomic") || isAttribute(F, "max_dest_rd_atomic"))
        lookAtCount(Init);
    }
    return true;
  }
  bool shouldVisitTemplateInstantiations() const { return true; }

private:
  bool isOurs(SourceLocation At) const {
    const SourceManager &M = S.Context.getSourceManager();
    return !M.isInSystemHeader(M.getExpansionLoc(At));
  }

  /// Whoever may write must be let read, by each number that it may be.
  void look(const Expr *Access, const Expr *At, std::optional<Place> &Sealed,
            std::optional<Place> &NotKnown) {
    if (Access->isTypeDependent() || Access->isValueDependent())
      return; // what is made of the template is seen too
    constexpr std::uint64_t Change = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    for (const Bits &B : All.of(Access, S.Context)) {
      if (!(B.Possible & Change) || (B.Set & IBV_ACCESS_REMOTE_READ))
        continue;
      const bool Certain = (B.Set & Change) && !(B.Possible & IBV_ACCESS_REMOTE_READ);
      noteHazard(S, Source, At->getBeginLoc(), Certain ? Sealed : NotKnown);
    }
  }

  void lookAtPair(const Expr *Access, const Expr *At) {
    look(Access, At, Found.NoReadOnPair, Found.ReadOnPairNotKnown);
    if (!Access->isTypeDependent() && !Access->isValueDependent())
      for (const Bits &B : All.of(Access, S.Context))
        if (!(B.Set & IBV_ACCESS_REMOTE_WRITE))
          noteHazard(S, Source, At->getBeginLoc(), Found.NoWriteOnPair);
  }

  void lookAtCount(const Expr *Count) {
    if (!Count->isValueDependent() && All.of(Count, S.Context).contains(Bits{0, 0}))
      noteHazard(S, Source, Count->getBeginLoc(), Found.NoReadsOut);
  }

  const Syntax &S;
  const std::string &Source;
  Numbers &All;
  Hazards &Found;
  std::set<const Expr *> Callees;
};

} // namespace

void findRights(const std::vector<const Syntax *> &Sources, const std::vector<std::string> &Names,
                Hazards &Found) {
  Numbers All(Sources);
  for (std::size_t I = 0; I < Sources.size(); ++I)
    Rights(*Sources[I], Names[I], All, Found).TraverseAST(Sources[I]->Context);
}

} // namespace rdma::source
