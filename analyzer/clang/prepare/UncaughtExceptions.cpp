#include "analyzer/clang/prepare/UncaughtExceptions.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/NodeLinks.h"
#include "analyzer/clang/api/VirtualCalls.h"
#include "analyzer/clang/frontend/Programs.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr const char *Mark = "rdma-uncaught";

/// The end of a thread, and not an exception, unwinds what is called around it whoever catches what.
bool mayUnwindByForce(const Module &M) {
  return any_of(
      std::initializer_list<StringRef>{"pthread_exit", "thrd_exit", "pthread_cancel", "_Unwind_ForcedUnwind"},
      [&](StringRef Name) { return M.getFunction(Name) != nullptr; });
}

/// What is found in a table of virtual functions.
bool isOfTable(const User &U) {
  SmallVector<const User *, 8> Work{&U};
  SmallPtrSet<const User *, 8> Seen;
  while (!Work.empty()) {
    const User *Next = Work.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    if (auto *Global = dyn_cast<GlobalVariable>(Next))
      return Global->getName().starts_with("_ZTV");
    if (isa<Constant>(Next))
      Work.append(Next->user_begin(), Next->user_end());
  }
  return false;
}

/// How a function may be called but by its name.
struct Shown {
  bool ByTable = false;   ///< it is virtual
  bool ByPointer = false; ///< its address is taken otherwise
  bool ToOthers = false;  ///< code that is not here is given its address
  bool Begins = false;    ///< that starts a thread with it
  bool ByName = false;    ///< or it is called
};

Shown shownOf(const Function &F) {
  Shown All;
  for (const Use &U : F.uses()) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (Call && Call->isCallee(&U)) {
      All.ByName = true;
    } else if (const Function *To = Call ? calledFunction(*Call) : nullptr; To && To->isDeclaration()) {
      const ApiRow *Row = rowOf(*Call);
      (Row && Row->What == Api::SpawnPthread ? All.Begins : All.ToOthers) = true;
    } else if (isOfTable(*U.getUser())) {
      All.ByTable = true;
    } else {
      All.ByPointer = true;
    }
  }
  return All;
}

/// What a std::thread runs: the library calls it by the table.
bool isStateOfThread(const Function &F) {
  return F.getName().starts_with("_ZNSt6thread11_State_impl") && F.getName().ends_with("6_M_runEv");
}

bool handles(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Pad = dyn_cast<LandingPadInst>(&I);
    return Pad && Pad->getNumClauses() > 0;
  });
}

/// Code that is not here and of which nothing says that it calls none of the program's functions that it
/// finds.
bool mayCallBack(const Function &F) {
  if (!F.isDeclaration() || F.isIntrinsic() || F.doesNotReturn())
    return false;
  const ApiRow *Row = rowOf(F);
  return Row ? Row->Name.find("once") != Row->Name.npos : !nodeLinks(F);
}

/// The functions that may run below one that handles, or below code that is not here.
class Below {
public:
  explicit Below(const Module &M) {
    for (const Function &F : M) {
      const Shown How = shownOf(F);
      if (!F.isDeclaration() && (How.ToOthers || (How.ByTable && !isStateOfThread(F))))
        All.insert(&F);
      if (!F.isDeclaration() && handles(F))
        addCallees(F);
    }
    for (std::size_t I = 0; I < All.size(); ++I) // which grows
      addCallees(*All[I]);
  }

  bool contain(const Function &F) const { return All.contains(&F) || (Pointers && shownOf(F).ByPointer); }

private:
  void addCallees(const Function &F) {
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      const Function *Callee = calledFunction(*Call);
      if (Callee)
        All.insert(Callee), Pointers |= mayCallBack(*Callee);
      else if (!isVirtual(*Call)) // virtual ones are below all the same
        Pointers = true;
      for (const Use &U : Call->args()) // which may be called there
        if (auto *Given = dyn_cast<Function>(U->stripPointerCasts()))
          All.insert(Given);
    }
  }

  SetVector<const Function *> All;
  bool Pointers = false;
};

} // namespace

void markUncaught(Module &M) {
  if (mayUnwindByForce(M))
    return;
  const Function *Main = M.getFunction("main");
  const bool Whole = Main && !Main->isDeclaration();
  const Below Handlers(M);
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    const Shown How = shownOf(F);
    const bool Begins = !How.ByName && !How.ByPointer && !How.ToOthers &&
                        (isStateOfThread(F) || (How.Begins && !How.ByTable));
    if (isMain(F) || Begins || (Whole && !Handlers.contain(F)))
      F.addFnAttr(Mark);
  }
}

bool isUncaught(const Function &F) { return F.hasFnAttribute(Mark); }

} // namespace rdma::clang_ir
