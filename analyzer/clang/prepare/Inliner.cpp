#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/frontend/Spelling.h"
#include "analyzer/clang/prepare/Pipeline.h"
#include "analyzer/clang/prepare/VariableArguments.h"
#include "analyzer/clang/program/RemarkTexts.h"

#include <llvm/Transforms/Utils/Cloning.h>

namespace rdma::clang_ir {
namespace {

using namespace llvm;

/// A call, and by which chain of inlined functions it came here (an index into the history, or -1).
struct Pending {
  CallBase *Call;
  int History;
};

class Below {
public:
  Below(Function &Entry, const RemarkSink &Sink, bool Report, const FunctionSet &Kept)
      : Entry(Entry), Sink(Sink), Report(Report), Kept(Kept) {}

  bool run() {
    Size = Entry.getInstructionCount();
    History.push_back({&Entry, -1});
    collect(Entry, 0);
    bool Changed = false;
    while (!Work.empty()) {
      Pending Next = Work.back();
      Work.pop_back();
      Changed |= visit(Next);
    }
    return Changed;
  }

private:
  void collect(Function &F, int From) {
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        Work.push_back({Call, From});
  }

  bool inHistory(const Function *F, int At) const {
    for (; At >= 0; At = History[At].second)
      if (History[At].first == F)
        return true;
    return false;
  }

  void leave(const CallBase &Call, const Function &Callee, const Words<1> &Why) const {
    if (Report && reachesModelledCall(Callee))
      Sink(Call.getDebugLoc(), {Why, spellFunction(Callee)}, false);
  }

  bool visit(Pending Next) {
    auto *Callee = dyn_cast<Function>(Next.Call->getCalledOperand()->stripPointerCasts());
    if (!Callee || Callee->isDeclaration() || isModelled(*Callee) || Kept.count(Callee))
      return false;
    if (inHistory(Callee, Next.History)) {
      leave(*Next.Call, *Callee, words::Recursive);
      return false;
    }
    // In a large program, what posts or polls comes first.
    if (Size > MaximalSize || (Size > ComfortableSize && !reachesModelledCall(*Callee))) {
      leave(*Next.Call, *Callee, words::TooLarge);
      return false;
    }
    if (Next.Call->getCalledFunction() != Callee)
      return false;
    auto [Known, New] = Sizes.try_emplace(Callee, 0);
    if (New)
      Known->second = Callee->getInstructionCount();
    InlineFunctionInfo Info;
    VariableArguments Given(*Next.Call);
    if (!InlineFunction(*Next.Call, Info).isSuccess()) {
      leave(*Next.Call, *Callee, words::NotInlined);
      return false;
    }
    Given.inlined();
    Size += Known->second;
    History.push_back({Callee, Next.History});
    for (CallBase *Inner : Info.InlinedCallSites)
      Work.push_back({Inner, static_cast<int>(History.size()) - 1});
    return true;
  }

  static bool posts(const ApiRow *Row) { return Row && (Row->What <= Api::FlushQp || startsThread(*Row)); }

  bool reachesModelledCall(const Function &Callee) const {
    auto [Known, New] = Reaches.try_emplace(&Callee, false);
    if (New)
      Known->second = searchModelledCall(Callee);
    return Known->second;
  }

  static bool searchModelledCall(const Function &From) {
    std::vector<const Function *> Stack{&From};
    std::set<const Function *> Seen{&From};
    while (!Stack.empty()) {
      const Function *F = Stack.back();
      Stack.pop_back();
      for (const Instruction &I : instructions(*F)) {
        auto *Call = dyn_cast<CallBase>(&I);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (!Callee)
          continue;
        if (posts(rowOf(*Callee)))
          return true;
        if (!Callee->isDeclaration() && Seen.insert(Callee).second)
          Stack.push_back(Callee);
      }
    }
    return false;
  }

  Function &Entry;
  const RemarkSink &Sink;
  bool Report;
  const FunctionSet &Kept;
  std::size_t Size = 0;
  std::map<const Function *, std::size_t> Sizes;
  mutable std::map<const Function *, bool> Reaches;
  std::vector<Pending> Work;
  std::vector<std::pair<const Function *, int>> History;
};

} // namespace

bool isModelled(const Function &Callee) { return rowOf(Callee); }

bool inlineBelow(Function &Entry, const RemarkSink &Sink, bool Report, const FunctionSet &Kept) {
  return Below(Entry, Sink, Report, Kept).run();
}

} // namespace rdma::clang_ir
