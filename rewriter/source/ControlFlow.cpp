#include "rewriter/source/ControlFlow.h"

#include <clang/AST/ExprCXX.h>

#include <vector>

namespace rdma::source {

using namespace clang;

namespace {

CFG::BuildOptions everyStep() {
  CFG::BuildOptions Options;
  Options.setAllAlwaysAdd();
  Options.AddImplicitDtors = true;
  Options.AddInitializers = true;
  Options.AddCXXDefaultInitExprInCtors = true;
  Options.AddCXXDefaultInitExprInAggregates = true;
  return Options;
}

} // namespace

std::unique_ptr<CFG> graphOf(const FunctionDecl &Function, ASTContext &Context) {
  return Function.isDependentContext() || !Function.getBody()
             ? nullptr
             : CFG::buildCFG(&Function, Function.getBody(), &Context, everyStep());
}

std::unique_ptr<CFG> graphOf(const Stmt &Part, ASTContext &Context) {
  return CFG::buildCFG(nullptr, const_cast<Stmt *>(&Part), &Context, everyStep());
}

const Stmt *statementOf(const CFGElement &Step) {
  auto Statement = Step.getAs<CFGStmt>();
  return Statement ? Statement->getStmt() : nullptr;
}

const FunctionDecl *calledBy(const CFGElement &Step, ASTContext &Context) {
  if (auto Dies = Step.getAs<CFGImplicitDtor>())
    return Dies->getDestructorDecl(Context);
  if (auto Cleans = Step.getAs<CFGCleanupFunction>())
    return Cleans->getFunctionDecl();
  const Stmt *S = statementOf(Step);
  if (auto *Made = dyn_cast_or_null<CXXConstructExpr>(S))
    return Made->getConstructor();
  auto *Call = dyn_cast_or_null<CallExpr>(S);
  return Call ? Call->getDirectCallee() : nullptr;
}

bool callsUnnamed(const CFGElement &Step) {
  auto *Call = dyn_cast_or_null<CallExpr>(statementOf(Step));
  return Call && !Call->getDirectCallee() && !isa<CXXPseudoDestructorExpr>(Call->getCallee()->IgnoreParens());
}

unsigned flow(const CFG &Graph, unsigned Begin,
              llvm::function_ref<unsigned(const CFGElement &, unsigned)> Does) {
  std::vector<unsigned> Before(Graph.getNumBlockIDs());
  Before[Graph.getEntry().getBlockID()] = Begin;
  std::vector<const CFGBlock *> Work{&Graph.getEntry()};
  while (!Work.empty()) {
    const CFGBlock *Block = Work.back();
    Work.pop_back();
    unsigned Now = Before[Block->getBlockID()];
    for (const CFGElement &Step : *Block)
      Now = Does(Step, Now);
    for (const CFGBlock *Next : Block->succs())
      if (Next && (Before[Next->getBlockID()] | Now) != Before[Next->getBlockID()]) {
        Before[Next->getBlockID()] |= Now;
        Work.push_back(Next);
      }
  }
  return Before[Graph.getExit().getBlockID()];
}

} // namespace rdma::source
