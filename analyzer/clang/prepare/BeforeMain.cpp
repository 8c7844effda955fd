#include "analyzer/clang/prepare/BeforeMain.h"
#include "analyzer/clang/api/ApiTable.h"

#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// The C and C++ libraries call these of a program that defines its own.
bool isCalledByLibraries(const Function &F) {
  StringRef Name = F.getName();
  return Name.starts_with("_Zn") || Name.starts_with("_Zd") || Name.starts_with("__") || apiOf(Name);
}

} // namespace

BeforeMain::BeforeMain(const Module &M) {
  auto *Table = M.getNamedGlobal("llvm.global_ctors");
  auto *Entries =
      Table && Table->hasInitializer() ? dyn_cast<ConstantArray>(Table->getInitializer()) : nullptr;
  for (unsigned I = 0; Entries && I < Entries->getNumOperands(); ++I)
    if (auto *F = dyn_cast<Function>(Entries->getOperand(I)->getOperand(1)->stripPointerCasts()))
      addCertain(*F);
  if (Entries)
    addPossible(*Entries);
  for (const GlobalVariable &Global : M.globals())
    if (Global.hasSection() && Global.hasInitializer())
      addPossible(Global);
  for (const GlobalIFunc &F : M.ifuncs())
    addPossible(*F.getResolver());
  for (const Function &F : M)
    if (!F.isDeclaration() && isCalledByLibraries(F))
      addPossible(F);
}

void BeforeMain::addCertain(const Function &F) {
  if (F.isDeclaration() || F.isInterposable() || !Certain.insert(&F).second)
    return;
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction() && alwaysDone(I))
      addCertain(*Call->getCalledFunction());
}

/// Whatever is named, directly or in tables, may be called.
void BeforeMain::addPossible(const Value &First) {
  std::vector<const Value *> Work;
  auto add = [&](const Value *V) {
    if ((isa<Constant>(V) && !isa<ConstantData>(V)) && Possible.insert(V).second)
      Work.push_back(V);
  };
  add(&First);
  while (!Work.empty()) {
    const Value *V = Work.back();
    Work.pop_back();
    auto *F = dyn_cast<Function>(V);
    for (const Use &Part : cast<User>(V)->operands()) // initialisers and aliasees, too
      add(Part);
    if (F && !F->isDeclaration())
      for (const Instruction &I : instructions(*F))
        for (const Use &Operand : I.operands())
          add(Operand);
  }
}

bool alwaysDone(const Instruction &I) {
  std::vector<const BasicBlock *> Work;
  std::set<const BasicBlock *> Seen;
  auto *Invoke = dyn_cast<InvokeInst>(&I);
  if (Invoke) // what it calls may not be done when it throws
    Work.push_back(Invoke->getUnwindDest());
  if (const BasicBlock *Entry = &I.getFunction()->getEntryBlock(); Entry != I.getParent())
    Work.push_back(Entry);
  while (!Work.empty()) {
    const BasicBlock *Block = Work.back();
    Work.pop_back();
    if (Block == I.getParent() || !Seen.insert(Block).second)
      continue;
    if (isa<ReturnInst>(Block->getTerminator()))
      return false;
    Work.insert(Work.end(), succ_begin(Block), succ_end(Block));
  }
  return true;
}

} // namespace rdma::clang_ir
