#include "rewriter/source/Hazards.h"

#include "analyzer/clang/frontend/Spelling.h"
#include "rewriter/source/Syntax.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace rdma {
namespace {

using namespace clang;

/// Calls by name, outside system headers.
class Calls : public RecursiveASTVisitor<Calls> {
public:
  Calls(const source::Syntax &S, const std::string &Source, Hazards &Found)
      : S(S), Source(Source), Found(Found) {}

  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *Callee = C->getDirectCallee();
    const SourceManager &M = S.Context.getSourceManager();
    if (!Callee || !Callee->getIdentifier() || M.isInSystemHeader(M.getExpansionLoc(C->getBeginLoc())))
      return true;
    StringRef Name = Callee->getName();
    if (Name == "ibv_start_poll")
      note(Found.StartPoll, C);
    else if (Name == "ibv_get_cq_event" || Name == "rdma_get_send_comp" || Name == "rdma_get_recv_comp")
      note(Found.EventChannel, C);
    else if (Name == "rdma_destroy_qp" || Name == "rdma_destroy_ep" || Name == "ibv_wr_start")
      note(Found.Unseen, C);
    else if (Name.contains("post_recv") || Name.contains("post_srq") || Name.contains("post_send") ||
             Name.starts_with("ibv_wr_send") || Name.contains("_imm")) {
      if (Name.starts_with("ibv_wr_send") || Name.starts_with("rdma_post_send"))
        note(Found.Sends, C);
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
    if (Code && !M.isInSystemHeader(M.getExpansionLoc(E->getLocation())) &&
        Code->getName() == "IBV_QPS_RESET")
      note(Found.Unseen, E);
    if (Code && !M.isInSystemHeader(M.getExpansionLoc(E->getLocation())) &&
        (Code->getName().starts_with("IBV_WR_SEND") || Code->getName() == "IBV_WR_RDMA_WRITE_WITH_IMM"))
      note(Found.TwoSided, E);
    if (Code && !M.isInSystemHeader(M.getExpansionLoc(E->getLocation())) &&
        Code->getName().starts_with("IBV_WR_SEND"))
      note(Found.Sends, E);
    return true;
  }
  bool shouldVisitTemplateInstantiations() const { return true; }

private:
  void note(std::optional<Place> &At, const Expr *C) const { noteHazard(S, Source, C, At); }

  const source::Syntax &S;
  const std::string &Source;
  Hazards &Found;
};

std::string at(const Place &P) { return P.File + ":" + std::to_string(P.Line); }

} // namespace

void noteHazard(const source::Syntax &S, const std::string &Source, const Expr *At,
                std::optional<Place> &Found) {
  if (Found)
    return;
  const SourceManager &M = S.Context.getSourceManager();
  PresumedLoc Where = M.getPresumedLoc(At->getBeginLoc());
  Found = Place{M.isInMainFile(M.getExpansionLoc(At->getBeginLoc()))
                    ? Source
                    : clang_ir::spellFile(S.file(At->getBeginLoc())),
                Where.getLine(),
                Where.getColumn(),
                {}};
}

void findHazards(const source::Syntax &S, const std::string &Source, Hazards &Found) {
  Calls(S, Source, Found).TraverseAST(S.Context);
}

std::string Hazards::againstRead() const {
  if (NoRead)
    return "what is registered at " + at(*NoRead) +
           " may be written but not read by other nodes, and a flush reads it";
  if (NoReadOnPair)
    return "the queue pair that is set up at " + at(*NoReadOnPair) +
           " lets other nodes write but not read, and a flush reads";
  if (ReadNotKnown)
    return "whether other nodes may read what they may write is not known of what is registered at " +
           at(*ReadNotKnown) + ", and a flush reads it";
  if (ReadOnPairNotKnown)
    return "whether other nodes may read through the queue pair that is set up at " +
           at(*ReadOnPairNotKnown) + " is not known, and a flush reads";
  if (NoReadsOut)
    return "the queue pair that is set up at " + at(*NoReadsOut) +
           " may have no READ under way, and a flush is one";
  return {};
}

std::string Hazards::against(bool Flushes, bool LeavesOut) const {
  if (StartPoll)
    return "completions are taken with ibv_start_poll (" + at(*StartPoll) +
           "), to which a wait could not give back what it finds";
  if (EventChannel)
    return "the program sleeps until a completion comes (" + at(*EventChannel) +
           "), and the completion of a wait would wake it up for nothing";
  if (PastHeader)
    return "requests are posted through the context (" + at(*PastHeader) +
           "), where <rdma/order.h> does not see them";
  if (NoHeader)
    return "<rdma/order.h> cannot be included before what " + at(*NoHeader) + " names";
  if (Sends && NoWriteOnPair)
    return "the queue pair that is set up at " + at(*NoWriteOnPair) +
           " may not let other nodes write, and a wait for what is sent (" + at(*Sends) +
           ") is an empty WRITE";
  if (Flushes)
    if (std::string Reason = againstRead(); !Reason.empty())
      return Reason;
  if (LeavesOut && Unseen)
    return "at " + at(*Unseen) +
           " a queue pair is used in a way that a wait which leaves requests out cannot follow";
  return {};
}

} // namespace rdma
