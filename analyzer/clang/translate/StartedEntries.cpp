#include "analyzer/clang/translate/StartedEntries.h"
#include "analyzer/clang/memory/AccessPaths.h"
#include "analyzer/clang/program/FunctionNames.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

bool leadsTo(const Instruction &From, const Instruction &To) {
  if (From.getParent() == To.getParent() && From.comesBefore(&To))
    return true;
  return any_of(successors(From.getParent()),
                [&](const BasicBlock *Next) { return isPotentiallyReachable(Next, To.getParent()); });
}

} // namespace

void StartedEntries::call(const Function &Entry, const CallBase &Call) { Found[&Entry].push_back({&Call}); }

void StartedEntries::spawn(const Function &Routine, const CallBase &Call) {
  for (const auto &[Entry, Times] : below(Routine))
    if (Entry)
      Found[Entry].push_back({&Call, true, Times > 1});
}

/// The entry that a call may run; a function that a pointer leads to is of the pointer's type.
const Function *StartedEntries::entryCalled(const CallBase &Call) const {
  if (auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts()))
    return Entries.count(Callee) ? Callee : nullptr;
  auto It = find_if(Entries, [&](const Function *F) {
    return F->hasAddressTaken() && F->getFunctionType() == Call.getFunctionType();
  });
  return It == Entries.end() || Call.isInlineAsm() ? nullptr : *It;
}

/// Which entries a function runs, and whether once or more often (2). Null stands for a recursion.
const StartedEntries::Runs &StartedEntries::below(const Function &F) {
  auto [Known, New] = Below.try_emplace(&F);
  Runs &All = Known->second;
  if (!New)
    return All;
  if (Entries.count(&F))
    return All = {{&F, 1}};
  if (F.isDeclaration())
    return All;
  All = {{nullptr, 2}}; // for whom it meets on the way
  Runs Sum;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call))
      continue;
    auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts());
    const Function *Entry = entryCalled(*Call);
    for (const auto &[Run, Times] : Entry ? Runs{{Entry, 1}} : Callee ? below(*Callee) : Runs{})
      Sum[Run] = std::min(2u, Sum[Run] + (leadsTo(I, I) ? 2 : Times));
  }
  if (Sum.count(nullptr))
    for (auto &[Run, Times] : Sum)
      Times = 2;
  return All = std::move(Sum);
}

/// May both come in one process? What constructors do is done before `main`. Of what one function does
/// itself, one after the other, Translator::goesOn speaks.
bool StartedEntries::together(const Run &A, const Run &B) {
  if (A.Call->getFunction() != B.Call->getFunction())
    return true;
  return (A.InThread || B.InThread) &&
         (A.Call == B.Call || leadsTo(*A.Call, *B.Call) || leadsTo(*B.Call, *A.Call));
}

void StartedEntries::tell(RemarkLog &Log) const {
  for (const auto &[Entry, Runs] : Found)
    for (std::size_t I = 0; I < Runs.size(); ++I) {
      const Run &Here = Runs[I];
      bool InLoop = Here.InThread && leadsTo(*Here.Call, *Here.Call);
      if (Here.Again || InLoop ||
          any_of(ArrayRef(Runs).take_front(I), [&](const Run &Earlier) { return together(Earlier, Here); }))
        Log.add(siteOf(Here.Call->getDebugLoc()),
                "the entry '" + sourceName(*Entry) +
                    "' may run a second time here; only one run of it is analysed: make '" +
                    sourceName(*Here.Call->getFunction()) + "' the entry, or run it once",
                false);
    }
}

} // namespace rdma::clang_ir
