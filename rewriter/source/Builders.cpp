#include "rewriter/source/Builders.h"

#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

namespace rdma::source {

using namespace clang;

namespace {

StringRef calleeName(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  return Callee && Callee->getIdentifier() ? Callee->getName() : "";
}

bool begins(StringRef Name) {
  return Name.starts_with("ibv_wr_rdma_") || Name.starts_with("ibv_wr_atomic_") ||
         Name.starts_with("ibv_wr_send");
}

/// Calls in the order of the text, and whether one of them may be made otherwise than once.
class Begun : public RecursiveASTVisitor<Begun> {
public:
  Begun(const Syntax &S, unsigned Depth, unsigned Until) : S(S), Depth(Depth), Until(Until) {}

  bool VisitCallExpr(CallExpr *Call) {
    StringRef Name = calleeName(Call);
    const FunctionDecl *Callee = Call->getDirectCallee(), *Body = nullptr;
    if (S.offset(Call->getBeginLoc()) >= Until)
      return true;
    if (Name == "ibv_wr_start")
      Found.clear();
    else if (begins(Name))
      Found.push_back({Call, S.offset(Call->getBeginLoc())});
    else if (!Name.starts_with("ibv_") && Callee && Callee->hasBody(Body) && S.holds(Body->getLocation()) &&
             Depth)
      takeFrom(*Body, Call);
    return true;
  }

  /// Where it is not certain that they are made, and once.
  bool isCertain(const Stmt *In) const {
    struct Uncertain : RecursiveASTVisitor<Uncertain> {
      bool VisitStmt(Stmt *X) {
        if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt, GotoStmt, LabelStmt,
                AbstractConditionalOperator>(X))
          Parts.push_back(X);
        else if (auto *If = dyn_cast<IfStmt>(X)) {
          Parts.push_back(If->getThen());
          if (If->getElse())
            Parts.push_back(If->getElse());
        }
        return true;
      }
      std::vector<const Stmt *> Parts;
    } U;
    U.TraverseStmt(const_cast<Stmt *>(In));
    return std::none_of(U.Parts.begin(), U.Parts.end(), [&](const Stmt *Part) {
      auto [Begin, End] = S.extent(Part);
      return std::any_of(Found.begin(), Found.end(),
                         [&](const One &Each) { return Begin <= Each.Where && Each.Where < End; });
    });
  }

  struct One {
    const CallExpr *Call;
    unsigned Where; ///< where the function makes it, or calls what does
  };
  std::vector<One> Found;
  bool Known = true;

private:
  void takeFrom(const FunctionDecl &Body, const CallExpr *From) {
    Begun Inner(S, Depth - 1, ~0u);
    Inner.TraverseStmt(Body.getBody());
    Known &= Inner.Known && Inner.isCertain(Body.getBody());
    for (const One &Each : Inner.Found)
      Found.push_back({Each.Call, S.offset(From->getBeginLoc())});
  }

  const Syntax &S;
  const unsigned Depth, Until;
};

} // namespace

std::vector<const CallExpr *> requestsBegunFor(const Syntax &S, const Place &Complete) {
  constexpr unsigned Deepest = 2;
  const CallExpr *Call = S.call(Complete, "");
  const FunctionDecl *F = Call && calleeName(Call) == "ibv_wr_complete" ? S.functionAround(Call) : nullptr;
  if (!F)
    return {};
  Begun All(S, Deepest, S.offsetOf(Complete));
  All.TraverseStmt(F->getBody());
  if (!All.Known || !All.isCertain(F->getBody()))
    return {};
  std::vector<const CallExpr *> Calls;
  for (const auto &One : All.Found)
    Calls.push_back(One.Call);
  return Calls;
}

const Expr *builderFlagsAbove(const Syntax &S, const Slot &At, const CallExpr *Begin) {
  auto Parents = S.Context.getParents(*At.At);
  const CompoundStmt *Block = Parents.empty() ? nullptr : Parents[0].get<CompoundStmt>();
  const std::string Of = S.text(Begin->getArg(0)->getSourceRange());
  std::vector<const Stmt *> Above;
  if (Block)
    Above.assign(Block->body_begin(), std::find(Block->body_begin(), Block->body_end(), At.At));
  for (auto X = Above.rbegin(); X != Above.rend(); ++X) {
    auto *Set = dyn_cast<BinaryOperator>(*X);
    auto *To =
        Set && Set->getOpcode() == BO_Assign ? dyn_cast<MemberExpr>(Set->getLHS()->IgnoreParens()) : nullptr;
    if (!To || S.text(To->getBase()->getSourceRange()) != Of)
      return nullptr;
    if (To->getMemberDecl()->getName() == "wr_flags")
      return Set->getRHS();
  }
  return nullptr;
}

} // namespace rdma::source
