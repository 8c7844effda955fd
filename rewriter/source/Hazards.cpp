#include "rewriter/source/Hazards.h"

#include "rewriter/plan/RefusalTexts.h"
#include "rewriter/source/Sleeps.h"
#include "rewriter/source/Syntax.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace rdma {
namespace {

using namespace clang;

/// Calls by name, outside system headers.
class Calls : public RecursiveASTVisitor<Calls> {
public:
  Calls(const source::Syntax &S, const std::string &Source, source::Bodies &Given, Hazards &Found)
      : S(S), Source(Source), Given(Given), Found(Found) {}

  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *Callee = C->getDirectCallee();
    const SourceManager &M = S.Context.getSourceManager();
    if (!Callee || !Callee->getIdentifier() || M.isInSystemHeader(M.getExpansionLoc(C->getBeginLoc())))
      return true;
    StringRef Name = Callee->getName();
    if (Name == "ibv_start_poll")
      note(Found.StartPoll, C);
    else if (Name == "ibv_get_cq_event" && !source::goesBackToSleep(S.Context, *C, Given))
      note(Found.EventChannel, C);
    if (Name == "ibv_wr_start")
      note(Found.Builds, C);
    if (Name == "rdma_destroy_qp" || Name == "rdma_destroy_ep" || Name == "ibv_wr_start")
      note(Found.Unseen, C);
    else if (Name.contains("post_recv") || Name.contains("post_srq") || Name.contains("post_send") ||
             Name.starts_with("ibv_wr_send") || Name.contains("_imm")) {
      if (Name.contains("_imm"))
        note(Found.Immediate, C);
      // What ibv_post_send posts, its opcodes say.
      if (Name != "ibv_post_send" && Name != "rdma_order_post_send")
        note(Found.TwoSided, C);
    }
    return true;
  }
  /// `qp->context->ops.post_send`, called or kept.
  bool VisitMemberExpr(MemberExpr *E) {
    auto *Member = dyn_cast<FieldDecl>(E->getMemberDecl());
    const SourceManager &M = S.Context.getSourceManager();
    if (Member && Member->getName() == "post_send" && Member->getParent()->getName() == "ibv_context_ops" &&
        !M.isInSystemHeader(M.getExpansionLoc(E->getBeginLoc())))
      note(Found.PastHeader, E);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const SourceManager &M = S.Context.getSourceManager();
    auto *Code = dyn_cast<EnumConstantDecl>(E->getDecl());
    if (!Code || M.isInSystemHeader(M.getExpansionLoc(E->getLocation())))
      return true;
    StringRef Name = Code->getName();
    if (Name == "IBV_QPS_RESET")
      note(Found.Unseen, E);
    if (Name.starts_with("IBV_WR_SEND") || Name == "IBV_WR_RDMA_WRITE_WITH_IMM")
      note(Found.TwoSided, E);
    if (Name == "IBV_WR_RDMA_WRITE_WITH_IMM")
      note(Found.Immediate, E);
    if (Name == "IBV_QPT_UD" || Name == "RDMA_PS_UDP")
      note(Found.Datagrams, E);
    return true;
  }
  bool shouldVisitTemplateInstantiations() const { return true; }

private:
  void note(std::optional<Place> &At, const Expr *C) const { noteHazard(S, Source, C->getBeginLoc(), At); }

  const source::Syntax &S;
  const std::string &Source;
  source::Bodies &Given;
  Hazards &Found;
};

std::string at(const Place &P) { return P.File + ":" + std::to_string(P.Line); }

} // namespace

void noteHazard(const source::Syntax &S, const std::string &Source, SourceLocation At,
                std::optional<Place> &Found) {
  if (!Found)
    Found = S.place(At, Source);
}

void findHazards(const source::Syntax &S, const std::string &Source, source::Bodies &Given, Hazards &Found) {
  Calls(S, Source, Given, Found).TraverseAST(S.Context);
}

std::string Hazards::againstRead() const {
  if (NoRead)
    return refusals::NoRead(at(*NoRead));
  if (NoReadOnPair)
    return refusals::NoReadOnPair(at(*NoReadOnPair));
  if (ReadNotKnown)
    return refusals::ReadNotKnown(at(*ReadNotKnown));
  if (ReadOnPairNotKnown)
    return refusals::ReadOnPairNotKnown(at(*ReadOnPairNotKnown));
  if (NoReadsOut)
    return refusals::NoReadsOut(at(*NoReadsOut));
  return {};
}

std::string Hazards::against(bool Flushes, bool LeavesOut, const Posted &On, const Place &At) const {
  if (StartPoll)
    return refusals::StartPoll(at(*StartPoll));
  if (EventChannel)
    return refusals::EventChannel(at(*EventChannel));
  if (Handler)
    return refusals::Handler(at(*Handler));
  if (PastHeader)
    return refusals::PastHeader(at(*PastHeader));
  if (NoHeader)
    return refusals::NoHeader(at(*NoHeader));
  if (OwnMacro)
    return refusals::OwnMacro(at(*OwnMacro));
  if (NoWriteOnPair && On.Others && !On.Writes)
    return refusals::Unwritable(at(*NoWriteOnPair), at(At));
  if (Datagrams && !On.Writes && !On.Reads)
    return refusals::Datagrams(at(*Datagrams), at(At));
  if (Flushes)
    if (std::string Reason = againstRead(); !Reason.empty())
      return Reason;
  if (LeavesOut && Unseen)
    return refusals::LeavesOut(at(*Unseen));
  return {};
}

} // namespace rdma
