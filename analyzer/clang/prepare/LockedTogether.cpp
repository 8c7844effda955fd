#include "analyzer/clang/prepare/LockedTogether.h"
#include "analyzer/clang/prepare/NewBody.h"

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
  IRBuilder<> Build(newBody(F));
  if (DISubprogram *Described = F.getSubprogram())
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
