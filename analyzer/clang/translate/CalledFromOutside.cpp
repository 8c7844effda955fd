#include "analyzer/clang/translate/CalledFromOutside.h"
#include "analyzer/clang/frontend/Programs.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Functions and variables that are named, directly or in tables: any such function may be run.
class Named {
public:
  bool has(const Value &V) const { return All.count(&V) != 0; }

  /// What the function names. Returns: also what it hands to whoever calls it.
  void addBody(const Function &F, bool Returns = true) {
    for (const Instruction &I : instructions(F))
      if (Returns || !isa<ReturnInst>(I))
        for (const Use &Operand : I.operands())
          add(*Operand);
  }

  /// In bodies: and what the functions that are named there name.
  void add(const Value &First, bool InBodies = true) {
    std::vector<const Value *> Work{&First};
    while (!Work.empty()) {
      const Value *V = Work.back();
      Work.pop_back();
      if (!isa<Constant>(V) || isa<ConstantData>(V) || !All.insert(V).second)
        continue;
      for (const Use &Part : cast<User>(V)->operands())
        Work.push_back(Part);
      if (auto *F = dyn_cast<Function>(V); F && InBodies)
        for (const Instruction &I : instructions(*F))
          Work.insert(Work.end(), I.op_begin(), I.op_end());
    }
  }

private:
  std::set<const Value *> All;
};

bool isOfOthers(const GlobalValue &V) { return V.hasExternalLinkage() && !V.hasLinkOnceLinkage(); }

bool isCalled(const Function &F) {
  return any_of(F.users(), [&](const User *U) {
    auto *Call = dyn_cast<CallBase>(U);
    return Call && Call->getCalledOperand() == &F;
  });
}

/// What code outside finds in tables of the sources.
Named handedOut(const Module &M, const std::vector<Function *> &Setup) {
  Named Out;
  for (const GlobalVariable &Table : M.globals())
    if (isOfOthers(Table) && Table.hasInitializer() && !hasMain(Table))
      Out.add(*Table.getInitializer(), false);
  for (const Function *F : Setup)
    for (const BasicBlock &Block : *F)
      if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()); Return && Return->getReturnValue())
        Out.add(*Return->getReturnValue(), false);
  return Out;
}

} // namespace

std::vector<Function *> calledFromOutside(Module &M, const FunctionSet &Entries,
                                          const std::vector<Function *> &Setup) {
  Named Run;
  for (const Function *F : Entries)
    Run.add(*F);
  for (const Function *F : Setup)
    Run.addBody(*F, false);
  std::vector<Function *> All, Found;
  for (Function &F : M)
    if (!F.isDeclaration())
      All.insert(isMain(F) ? All.begin() : All.end(), &F);
  const Named Out = handedOut(M, Setup);
  for (Function *F : All)
    if (Out.has(*F) && !Run.has(*F) && !isCalled(*F) && !is_contained(Setup, F))
      Found.push_back(F);
  for (const Function *F : Found)
    Run.add(*F);
  for (Function *F : All) {
    Named Behind;
    if (!isOfOthers(*F) || Run.has(*F) || is_contained(Setup, F))
      continue;
    Behind.addBody(*F);
    if (!Behind.has(*F))
      continue;
    Found.push_back(F);
    Run.add(*F);
  }
  return Found;
}

} // namespace rdma::clang_ir
