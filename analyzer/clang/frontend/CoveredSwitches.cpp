#include "analyzer/clang/frontend/CoveredSwitches.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr const char *Kind = "rdma.covered";

class Finder : public clang::ASTConsumer, public clang::RecursiveASTVisitor<Finder> {
public:
  explicit Finder(CoveredSwitches &Found) : Found(Found) {}

  void HandleTranslationUnit(clang::ASTContext &Context) override {
    Sources = &Context.getSourceManager();
    TraverseDecl(Context.getTranslationUnitDecl());
  }

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitSwitchStmt(clang::SwitchStmt *S) {
    bool HasDefault = false;
    for (const clang::SwitchCase *Case = S->getSwitchCaseList(); Case; Case = Case->getNextSwitchCase())
      HasDefault |= isa<clang::DefaultStmt>(Case);
    const clang::PresumedLoc At = Sources->getPresumedLoc(S->getBeginLoc());
    if (S->isAllEnumCasesCovered() && !HasDefault && At.isValid())
      Found.emplace(sys::path::filename(At.getFilename()).str(), At.getLine(), At.getColumn());
    return true;
  }

private:
  CoveredSwitches &Found;
  const clang::SourceManager *Sources = nullptr;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> findCovered(CoveredSwitches &Found) {
  return std::make_unique<Finder>(Found);
}

void markCovered(Module &Unit, const CoveredSwitches &Found) {
  if (Found.empty())
    return;
  for (Function &F : Unit)
    for (Instruction &I : instructions(F))
      if (const DILocation *At = isa<SwitchInst>(I) ? I.getDebugLoc().get() : nullptr;
          At &&
          Found.contains({sys::path::filename(At->getFilename()).str(), At->getLine(), At->getColumn()}))
        I.setMetadata(Kind, MDNode::get(Unit.getContext(), {}));
}

bool isCovered(const SwitchInst &Switch) { return Switch.getMetadata(Kind); }

} // namespace rdma::clang_ir
