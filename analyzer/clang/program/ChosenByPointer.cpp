#include "analyzer/clang/program/ChosenByPointer.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/VirtualCalls.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/program/FunctionNames.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

using Slots = std::set<std::uint64_t>; ///< of tables of virtual functions; empty: the function is in none

Function *calledByName(const CallBase &Call) {
  return dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
}

/// The slot of a virtual call: its callee is loaded from the table that its object leads to.
std::optional<std::uint64_t> slotOf(const CallBase &Call) {
  auto *Callee = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Callee)
    return std::nullopt;
  const DataLayout &Layout = Call.getDataLayout();
  APInt Offset(64, 0);
  const Value *Table = Callee->getPointerOperand()->stripAndAccumulateConstantOffsets(
      Layout, Offset, /*AllowNonInbounds=*/true);
  auto *FromObject = dyn_cast<LoadInst>(Table);
  if (!FromObject || !readsTable(*FromObject))
    return std::nullopt;
  return Offset.getZExtValue() / Layout.getPointerSize();
}

/// One walk over what is called by name below a main.
class Below {
public:
  Below(const std::function<bool(const Function &)> &IsWork,
        const std::function<bool(const CallBase &)> &Does)
      : IsWork(IsWork), Does(Does) {}

  void add(Function &F) {
    if (!F.isDeclaration() && Called.insert(&F).second)
      Open.push_back(&F);
  }

  void walk() {
    while (!Open.empty()) {
      Function *F = Open.back();
      Open.pop_back();
      for (Instruction &I : instructions(*F))
        if (!isa<DbgInfoIntrinsic>(I))
          see(I);
    }
  }

  /// Every call through a pointer that may do work may run all of them; else nothing.
  std::vector<Function *> chosen() const {
    if (Works)
      return {};
    std::map<Function *, Slots> Ways;
    for (const auto &[F, In] : Taken)
      if (!Called.count(F) && IsWork(*F) && sourceName(*F).find('~') == std::string::npos)
        Ways.emplace(F, In);
    std::vector<Function *> All;
    for (const CallBase *Call : Indirect) {
      std::vector<Function *> Own;
      for (const auto &[F, In] : Ways)
        if (mayRun(*Call, *F, In))
          Own.push_back(F);
      if (!Own.empty() && Own.size() != Ways.size())
        return {};
      All = Own.empty() ? All : Own;
    }
    return All.size() < 2 ? std::vector<Function *>() : All;
  }

private:
  void see(Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? calledByName(*Call) : nullptr;
    if (Callee)
      add(*Callee);
    if (Call)
      Works |= Does(*Call);
    if (Call && !Callee && !Call->isInlineAsm())
      Indirect.push_back(Call);
    for (const Use &U : I.operands())
      if (auto *C = dyn_cast<Constant>(U.get()); C && C != Callee)
        take(C);
  }

  void take(const Constant *C) {
    if (!Seen.insert(C).second)
      return;
    if (auto *F = const_cast<Function *>(dyn_cast<Function>(C))) {
      Taken.try_emplace(F);
      if (!IsWork(*F))
        add(*F); // what a library makes around a pointer is called by such a function
    }
    auto *Table = dyn_cast<GlobalVariable>(C);
    if (Table && Table->hasInitializer() && isVirtualTable(*Table))
      takeVirtual(*Table->getInitializer());
    else if (Table && Table->hasInitializer())
      take(Table->getInitializer());
    for (const Use &U : C->operands())
      if (auto *Part = dyn_cast<Constant>(U.get()); Part && !(Table && isVirtualTable(*Table)))
        take(Part);
  }

  /// Two words lead each part of a table: an offset, and the type.
  void takeVirtual(const Constant &Parts) {
    for (const Use &Part : Parts.operands())
      for (const Use &Entry : cast<Constant>(Part.get())->operands())
        if (auto *F = dyn_cast<Function>(Entry.get()->stripPointerCasts()); F && Entry.getOperandNo() >= 2)
          Taken[F].insert(Entry.getOperandNo() - 2);
  }

  static bool mayRun(const CallBase &Call, const Function &F, const Slots &In) {
    const std::optional<std::uint64_t> Slot = slotOf(Call);
    if (Slot)
      return In.count(*Slot) > 0;
    return In.empty() && Call.getFunctionType() == F.getFunctionType();
  }

  const std::function<bool(const Function &)> &IsWork;
  const std::function<bool(const CallBase &)> &Does;
  std::set<Function *> Called;
  std::vector<Function *> Open;
  std::map<Function *, Slots> Taken;
  std::vector<const CallBase *> Indirect;
  std::set<const Constant *> Seen;
  bool Works = false; ///< beside what is chosen
};

bool isLambda(const Function &F) { return sourceName(F) == "operator()"; }

/// It hands on what it is given, and nothing of its own.
bool handsOn(const CallBase &Call) {
  return none_of(Call.args(), [](const Use &U) {
    auto *Own = dyn_cast<AllocaInst>(U.get()->stripInBoundsConstantOffsets());
    return Own && Own->getAllocatedType()->isStructTy();
  });
}

/// What of the program it leads to, by one call that may work.
Function *ledTo(Function &F, const std::function<bool(const Function &)> &IsWork,
                const std::function<bool(const CallBase &)> &Does) {
  Function *At = &F;
  for (unsigned Steps = 0; Steps < 16 && (declarerOf(*At) != Declarer::Program || isLambda(*At)); ++Steps) {
    std::set<Function *> Next;
    for (Instruction &I : instructions(*At))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<DbgInfoIntrinsic>(I)) {
        Function *Callee = calledByName(*Call);
        if (Does(*Call) || (isLambda(*At) && Callee && IsWork(*Callee) && !handsOn(*Call)))
          return At;
        if (Callee && !Callee->isDeclaration() && IsWork(*Callee))
          Next.insert(Callee);
      }
    if (Next.size() != 1)
      break;
    At = *Next.begin();
  }
  return At;
}

} // namespace

bool isVirtualTable(const GlobalVariable &Table) {
  return Table.getName().starts_with("_ZTV") || Table.getName().starts_with("_ZTC");
}

std::vector<Function *> chosenByPointer(Function &Main, const std::function<bool(const Function &)> &IsWork,
                                        const std::function<bool(const CallBase &)> &Does) {
  Below All(IsWork, Does);
  All.add(Main);
  if (const GlobalVariable *Table = Main.getParent()->getNamedGlobal("llvm.global_ctors");
      Table && Table->hasInitializer())
    for (const Use &Row : Table->getInitializer()->operands())
      if (auto *Start = dyn_cast<Function>(cast<Constant>(Row.get())->getOperand(1)->stripPointerCasts());
          Start && programOf(*Start) == programOf(Main))
        All.add(*Start);
  All.walk();
  std::vector<Function *> Chosen;
  for (Function *F : All.chosen())
    if (Function *Part = ledTo(*F, IsWork, Does);
        std::find(Chosen.begin(), Chosen.end(), Part) == Chosen.end())
      Chosen.push_back(Part);
  llvm::sort(Chosen, [](const Function *A, const Function *B) { return A->getName() < B->getName(); });
  return Chosen.size() < 2 ? std::vector<Function *>() : Chosen;
}

} // namespace rdma::clang_ir
