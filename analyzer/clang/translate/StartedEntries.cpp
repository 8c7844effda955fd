#include "analyzer/clang/translate/StartedEntries.h"
#include "analyzer/clang/memory/AccessPaths.h"
#include "analyzer/clang/program/FunctionNames.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/Instructions.h>

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

/// May both come in one process? Of two functions nobody knows which runs: both may.
bool together(const CallBase &A, const CallBase &B) {
  return A.getFunction() != B.getFunction() || leadsTo(A, B) || leadsTo(B, A);
}

} // namespace

void StartedEntries::add(const Function &F, const CallBase &Call, bool InThread) {
  Sites[&F].push_back({&Call, InThread});
  if (!InThread)
    Called[Call.getFunction()].insert(&F);
}

const Function *StartedEntries::below(const Function &F) const {
  std::set<const Function *> Seen{&F};
  std::vector<const Function *> Work{&F};
  while (!Work.empty()) {
    const Function *Next = Work.back();
    Work.pop_back();
    if (Entries.count(Next))
      return Next;
    if (auto Found = Called.find(Next); Found != Called.end())
      for (const Function *Callee : Found->second)
        if (Seen.insert(Callee).second)
          Work.push_back(Callee);
  }
  return nullptr;
}

ArrayRef<StartedEntries::Site> StartedEntries::sitesOf(const Function &F) const {
  auto Found = Sites.find(&F);
  return Found == Sites.end() ? ArrayRef<Site>() : ArrayRef(Found->second);
}

/// The call that may run a function of set-up code a second time; null: none.
const CallBase *StartedEntries::second(const Function &F, Seconds &Known) const {
  ArrayRef<Site> All = sitesOf(F);
  // Who asks for it while it is being answered is part of a recursion.
  auto [Answer, New] = Known.try_emplace(&F, All.empty() ? nullptr : All.front().Call);
  if (!New)
    return Answer->second;
  for (std::size_t I = 0; I < All.size(); ++I) {
    const CallBase &Call = *All[I].Call;
    if (leadsTo(Call, Call) ||
        any_of(All.take_front(I), [&](const Site &Earlier) { return together(*Earlier.Call, Call); }))
      return Answer->second = &Call;
    if (const CallBase *Higher = second(*Call.getFunction(), Known))
      return Answer->second = Higher;
  }
  return Answer->second = nullptr;
}

void StartedEntries::tell(RemarkLog &Log) const {
  std::vector<const Function *> Sorted(Entries.begin(), Entries.end());
  llvm::sort(Sorted, [](const Function *A, const Function *B) { return A->getName() < B->getName(); });
  Seconds Known;
  for (const Function *Entry : Sorted) {
    ArrayRef<Site> All = sitesOf(*Entry);
    for (std::size_t I = 0; I < All.size(); ++I) {
      const Site &Here = All[I];
      // Of what one function does itself, one after the other, Translator::goesOn speaks: unless in a thread.
      auto apart = [&](const Site &Other) {
        const Function *In = Here.Call->getFunction();
        return Here.InThread || Other.InThread || InThreads.count(In) || In != Other.Call->getFunction();
      };
      bool Again = any_of(All.take_front(I + 1), [&](const Site &Earlier) {
        return apart(Earlier) && together(*Earlier.Call, *Here.Call);
      });
      const CallBase *Second = Again ? Here.Call : second(*Here.Call->getFunction(), Known);
      if (Second)
        Log.add(siteOf(Second->getDebugLoc()),
                {words::EntryAgain, sourceName(*Entry), sourceName(*Second->getFunction())}, false);
    }
  }
}

} // namespace rdma::clang_ir
