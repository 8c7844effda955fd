#include "analyzer/clang/prepare/LockedTogether.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// std::lock<std::mutex, std::mutex, ...>
bool locksMutexes(StringRef Name) {
  if (!Name.consume_front("_ZSt4lockISt5mutexS0_J"))
    return false;
  while (Name.consume_front("S0_"))
    ;
  return Name == "EEvRT_RT0_DpRT1_";
}

void takeInTurn(Function &F, Function &Take) {
  DISubprogram *Described = F.getSubprogram();
  const GlobalValue::LinkageTypes Linkage = F.getLinkage();
  F.deleteBody();
  F.setLinkage(Linkage);
  F.setSubprogram(Described);
  IRBuilder<> Build(BasicBlock::Create(F.getContext(), "", &F));
  if (Described)
    Build.SetCurrentDebugLocation(DILocation::get(F.getContext(), Described->getScopeLine(), 0, Described));
  for (Argument &Mutex : F.args())
    Build.CreateCall(&Take, {&Mutex});
  Build.CreateRetVoid();
}

} // namespace

void lockTogether(Module &M) {
  Function *Take = M.getFunction("_ZNSt5mutex4lockEv");
  if (!Take || Take->arg_size() != 1)
    return;
  for (Function &F : M)
    if (!F.isDeclaration() && locksMutexes(F.getName()))
      takeInTurn(F, *Take);
}

} // namespace rdma::clang_ir
