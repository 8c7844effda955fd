#include "analyzer/clang/translate/CalledFromOutside.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/translate/ShownFunctions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

using Named = std::set<const Value *>;

/// Adds what the function names, directly, in tables, or through functions that it names: any of these may be
/// run.
void addNamed(const Function &First, Named &All) {
  std::vector<const Value *> Work{&First};
  auto add = [&](const Value *V) {
    if (isa<Constant>(V) && !isa<ConstantData>(V) && All.insert(V).second)
      Work.push_back(V);
  };
  while (!Work.empty()) {
    const Value *V = Work.back();
    Work.pop_back();
    for (const Use &Part : cast<User>(V)->operands())
      add(Part);
    if (auto *F = dyn_cast<Function>(V))
      for (const Instruction &I : instructions(*F))
        for (const Use &Operand : I.operands())
          add(Operand);
  }
}

/// It is run where an object of its class ends.
bool isDestructor(const Function &F) {
  ItaniumPartialDemangler Name;
  return !Name.partialDemangle(F.getName().str().c_str()) && Name.isFunction() && Name.isCtorOrDtor();
}

bool isCallOf(const User *U, const Function &F) {
  return isa<CallBase>(U) && cast<CallBase>(U)->getCalledOperand() == &F;
}

/// Does the function, or what it names, keep something from one call to the next?
bool holdsVariable(const Function &F) {
  Named Behind;
  addNamed(F, Behind);
  return any_of(Behind, [](const Value *V) {
    auto *Global = dyn_cast<GlobalVariable>(V);
    return Global && !Global->isConstant() && !Global->isDeclaration();
  });
}

} // namespace

std::vector<Function *> startsOfCycles(Module &M, const FunctionSet &Begun) {
  Named Run;
  for (const Function *F : Begun)
    if (Run.insert(F).second)
      addNamed(*F, Run);
  std::vector<Function *> All, Starts;
  for (Function &F : M)
    if (!F.isDeclaration() && F.hasExternalLinkage())
      All.insert(isMain(F) ? All.begin() : All.end(), &F);
  for (Function *F : All) {
    Named Behind;
    if (Run.count(F) || none_of(F->users(), [&](const User *U) { return isCallOf(U, *F); }))
      continue;
    addNamed(*F, Behind);
    if (!Behind.count(F))
      continue;
    Starts.push_back(F);
    Run.merge(Behind);
  }
  return Starts;
}

FunctionSet calledElsewhere(const Module &M) {
  FunctionSet All;
  const bool Whole = leavesNothingOut(M);
  for (const Function &F : M) {
    const Declarer By = declarerOf(F);
    // What the headers of verbs and of the runtime define, the table of calls says.
    if (F.isDeclaration() || isMain(F) || (Whole && hasMain(F)) || By == Declarer::Verbs)
      continue;
    const bool Called = any_of(F.users(), [&](const User *U) { return isCallOf(U, F); });
    const bool Nameable = !F.hasLocalLinkage() && By != Declarer::Standard;
    if (((Nameable && Called) || isShown(F)) && !isDestructor(F) && holdsVariable(F))
      All.insert(&F);
  }
  return All;
}

std::vector<Function *> handedOut(Module &M) {
  std::vector<Function *> All;
  for (Function &F : M)
    if (!F.isDeclaration() && (F.hasLocalLinkage() || F.hasExternalLinkage()) && F.hasAddressTaken() &&
        !isDestructor(F) && !hasMain(F) && none_of(F.users(), [](const User *U) { return isa<CallBase>(U); }))
      All.push_back(&F);
  return All;
}

static bool mayBeCalledByPointer(const Function &F) {
  return any_of(*F.getParent(), [&](const Function &By) {
    return any_of(instructions(By), [&](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      return Call && Call->isIndirectCall() && Call->getFunctionType() == F.getFunctionType();
    });
  });
}

bool isLeftToOthers(const Function &F, const FunctionSet &Begun) {
  if (!mayBeCalledByPointer(F))
    return true;
  Named Run;
  for (const Function *By : Begun)
    addNamed(*By, Run);
  return !Run.count(&F) && none_of(F.users(), [](const User *U) { return isa<Instruction>(U); });
}

} // namespace rdma::clang_ir
