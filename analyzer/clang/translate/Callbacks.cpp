#include "analyzer/clang/translate/Callbacks.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/VirtualCalls.h"
#include "analyzer/clang/translate/Understand.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// A parameter, or the variable that nothing but the parameter is kept in.
bool isGiven(const Value *V) {
  auto *Kept = dyn_cast<LoadInst>(V);
  auto *Slot = Kept ? dyn_cast<AllocaInst>(Kept->getPointerOperand()) : nullptr;
  return isa<Argument>(V) ||
         (Slot && all_of(Slot->users(), [&](const User *U) {
            auto *Store = dyn_cast<StoreInst>(U);
            return Store ? Store->getPointerOperand() == Slot && isa<Argument>(Store->getValueOperand())
                         : isa<LoadInst>(U) || isa<DbgInfoIntrinsic>(U) || isa<LifetimeIntrinsic>(U);
          }));
}

class Observer {
public:
  explicit Observer(const std::set<const Function *> &Known) : Seen(Known) {}

  Behaviour run(const Function &First) {
    visit(First);
    while (!Work.empty()) {
      const Function *F = Work.back();
      Work.pop_back();
      Does.Runs.insert(F);
      for (const Instruction &I : instructions(*F))
        visit(I);
    }
    return std::move(Does);
  }

private:
  void visit(const Function &F) {
    if (!F.isDeclaration()) {
      if (Seen.insert(&F).second)
        Work.push_back(&F);
      return;
    }
    const ApiRow *Row = rowOf(F);
    if (!Row) {
      Does.Unknown |= declarerOf(F) != Declarer::Standard;
      return;
    }
    switch (Row->What) {
    case Api::Memory:
    case Api::Nothing:
    case Api::Ends:
    case Api::Allocate:
    case Api::Foreign:
    case Api::Same:
    case Api::MemoryFence: // order that nobody counts on
    case Api::Deregister:
      return;
    case Api::Frees:
      Does.Stores = true;
      return;
    default:
      Does.Unknown = true;
    }
  }

  static bool endsSync(StringRef Name) {
    return StringSwitch<bool>(Name)
        .Cases("pthread_mutex_destroy", "pthread_cond_destroy", "_ZNSt18condition_variableD1Ev", true)
        .Default(false);
  }

  void touch(const Value *Pointer, bool Writes) {
    const Value *Base = getUnderlyingObject(Pointer, 0);
    if (isa<AllocaInst>(Base))
      return;
    if (auto *Global = dyn_cast<GlobalVariable>(Base)) {
      if (!Global->isConstant())
        Does.Globals.insert(Global);
      return;
    }
    (Writes ? Does.Stores : isGiven(Base) ? Does.LoadsGiven : Does.Loads) = true;
  }

  /// What it names may be what it finds: by a choice, as what it returns, or in a table of constants.
  void mention(const Constant &C) {
    if (auto *Alias = dyn_cast<GlobalAlias>(&C))
      return mention(*Alias->getAliasee());
    auto *Global = dyn_cast<GlobalVariable>(&C);
    if (Global && (Global->getName().starts_with("_ZT") || !Mentioned.insert(Global).second))
      return;
    if (Global && !Global->isConstant())
      Does.Globals.insert(Global);
    else if (Global && Global->hasInitializer())
      mention(*Global->getInitializer());
    else if (!isa<GlobalValue>(C))
      for (const Use &Part : C.operands())
        if (auto *Inner = dyn_cast<Constant>(Part))
          mention(*Inner);
  }

  void visit(const Instruction &I) {
    for (const Use &U : I.operands())
      if (auto *Named = dyn_cast<Constant>(U))
        mention(*Named);
    switch (Understand().visit(const_cast<Instruction &>(I))) {
    case Meaning::Nothing:
      return;
    case Meaning::Unknown:
      Does.Unknown = true;
      return;
    case Meaning::Translated:
      break;
    }
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return touch(Load->getPointerOperand(), false);
    if (auto *Store = dyn_cast<StoreInst>(&I))
      return touch(Store->getPointerOperand(), true);
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || Call->isInlineAsm()) {
      Does.Unknown = true; // atomics and fences make order
      return;
    }
    auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts());
    if (Callee && Callee->getIntrinsicID() == Intrinsic::stackrestore)
      return; // its own variables
    if (!Callee) {
      Does.Unknown = true;
      return;
    }
    if (!Callee->isIntrinsic())
      visit(*Callee);
    const ApiRow *Row = rowOf(*Callee);
    if (Row && endsSync(Row->Name))
      return; // nobody may use the object any more
    for (const Use &U : Call->args())
      if (U->getType()->isPointerTy()) {
        unsigned Number = U.getOperandNo();
        if (auto *Given = dyn_cast<Function>(U->stripPointerCasts()))
          visit(*Given);
        else
          touch(U, Row ? useOf(*Call, Number, *Row).Writes : !Call->onlyReadsMemory(Number));
      }
  }

  Behaviour Does;
  std::vector<const Function *> Work;
  std::set<const Function *> Seen;
  std::set<const GlobalVariable *> Mentioned;
};

} // namespace

bool runsProgram(const Function &F) {
  std::vector<const Function *> Work{&F};
  std::set<const Function *> Seen{&F};
  for (std::size_t I = 0; I < Work.size(); ++I) {
    if (Work[I]->isDeclaration())
      continue;
    if (declarerOf(*Work[I]) != Declarer::Standard)
      return true;
    for (const Instruction &Here : instructions(*Work[I])) {
      if (programPlace(Here.getDebugLoc())) // inlined, as what a template calls of its allocator
        return true;
      auto *Call = dyn_cast<CallBase>(&Here);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Call && !Callee && !Call->isInlineAsm() && !isVirtual(*Call))
        return true;
      if (Callee && Seen.insert(Callee).second)
        Work.push_back(Callee);
    }
  }
  return false;
}

Behaviour behaviourOf(const Function &F, const std::set<const Function *> &Known) {
  return Observer(Known).run(F);
}

} // namespace rdma::clang_ir
