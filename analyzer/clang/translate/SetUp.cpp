// Code of a process that is not part of its threads: what runs before an entry, beside it and behind it, and
// what runs when a thread or the process ends.
//
// What set-up code puts into memory before the threads run is known to PointsTo. Here it is asked whether it
// goes on at the same time, or later, with memory that the threads use.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/frontend/Spelling.h"
#include "analyzer/clang/prepare/Pipeline.h"
#include "analyzer/clang/program/FunctionNames.h"
#include "analyzer/clang/translate/Callbacks.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

/// Every instruction that may run after this one.
std::vector<const Instruction *> behind(const Instruction &First) {
  std::vector<const Instruction *> All;
  std::set<const BasicBlock *> Seen;
  std::vector<const BasicBlock *> Work;
  auto rest = [&](const Instruction *I) {
    for (; I; I = I->getNextNode())
      All.push_back(I);
  };
  rest(First.getNextNode());
  for (const BasicBlock *Next : successors(First.getParent()))
    Work.push_back(Next);
  while (!Work.empty()) {
    const BasicBlock *Block = Work.back();
    Work.pop_back();
    if (!Seen.insert(Block).second)
      continue;
    rest(&Block->front());
    for (const BasicBlock *Next : successors(Block))
      Work.push_back(Next);
  }
  return All;
}

} // namespace

/// The blocks that destructors of static objects, or (OfThread) of thread_local ones, may read or write, as
/// this function registers them.
std::vector<const Origin *> Translator::destroyed(bool OfThread) {
  std::vector<const Origin *> All;
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Callee->getName() != (OfThread ? "__cxa_thread_atexit" : "__cxa_atexit") ||
        Call->arg_size() < 2)
      continue;
    bool Open = false;
    for (const Function *F : Where.functionsIn(Call->getArgOperand(0), Open))
      if (goesElsewhere(behaviourOf(*F)))
        for (const Pointer &P : Where.reachable(Where.resolve(Call->getArgOperand(1))))
          if (P.Base->named() && P.Base->What != Origin::Kind::Foreign)
            All.push_back(P.Base);
  }
  return All;
}

std::vector<const Origin *> Translator::usedAtExit() {
  Behaviour Does = behaviourOf(In.F);
  if (Does.Unknown || goesElsewhere(Does))
    Log.add(siteOf(In.F.getEntryBlock().getTerminator()->getDebugLoc()),
            {words::RunsAtExit, sourceName(In.F)}, false);
  std::vector<const Origin *> All;
  for (const GlobalVariable *Global : Does.Globals)
    for (const Pointer &P : Where.resolve(Global))
      All.push_back(P.Base);
  return All;
}

/// What ends with the thread that the function is started as: thread_local variables, and the copies of what
/// a std::thread was given.
llvm::SetVector<const Origin *> Translator::ownOfThread() {
  llvm::SetVector<const Origin *> All;
  if (const ApiRow *Row = meaning(*In.Start); Row && Row->What == Api::SpawnStd && In.F.arg_size() > 0)
    for (const Pointer &State : Where.resolve(In.F.getArg(0)))
      All.insert(State.Base);
  for (const Instruction &I : instructions(In.F))
    if (auto *Use = dyn_cast<IntrinsicInst>(&I);
        Use && Use->getIntrinsicID() == Intrinsic::threadlocal_address)
      for (const Pointer &P : Where.resolve(Use))
        All.insert(P.Base);
  return All;
}

/// The thread ends here, and perhaps the process with it.
void Translator::destroy(const Instruction &I, bool Process) {
  auto change = [&](const Origin *Block, bool Gone) {
    Operation Op;
    Op.Kind = Store;
    Op.Local = {Stock.object(In.Home, *Block)};
    Op.Deregisters = Gone;
    emit(Op, I);
  };
  std::vector<const Origin *> All = destroyed(true);
  if (In.Start)
    for (const Origin *Block : ownOfThread())
      change(Block, true);
  if (Process) {
    All.insert(All.end(), In.Statics.begin(), In.Statics.end());
    for (const Origin *Block : destroyed(false))
      All.push_back(Block);
  }
  for (const Origin *Block : All)
    change(Block, false);
}

void Translator::exitCall(const CallBase &Call) {
  auto *Status = Call.arg_size() ? dyn_cast<ConstantInt>(Call.getArgOperand(0)) : nullptr;
  // With a status that says that something failed, nothing is owed any more.
  if (Call.getCalledFunction()->getName() == "exit" && (!Status || Status->isZero()))
    destroy(Call, true);
}

/// The functions of the sources that the call may run, by name or through a pointer.
llvm::SetVector<const Function *> Translator::calledBySetup(const CallBase &Call) {
  llvm::SetVector<const Function *> All;
  bool Open = false;
  for (const Function *F : Where.functionsIn(Call.getCalledOperand(), Open))
    All.insert(F);
  const FunctionType *Type = Call.getFunctionType();
  if (Open)
    for (const Function &F : *In.F.getParent())
      if ((Type->isVarArg() || F.getFunctionType() == Type) && F.hasAddressTaken())
        All.insert(&F);
  All.remove_if([](const Function *F) { return F->isDeclaration() || isModelled(*F); });
  return All;
}

void Translator::noteCalls(StartedEntries &Runs, llvm::SetVector<Function *> &Called,
                           llvm::SetVector<Function *> &Routines) {
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call) || Call->isInlineAsm())
      continue;
    if (const ApiRow *Row = meaning(*Call); Row && startsThread(*Row))
      for (const Function *F : startedBy(*Call, *Row).Routines)
        Runs.add(*F, *Call, true), Routines.insert(const_cast<Function *>(F));
    else
      for (const Function *F : calledBySetup(*Call))
        Runs.add(*F, *Call, false), Called.insert(const_cast<Function *>(F));
  }
}

void Translator::lookAtSetup(const std::set<const Function *> &Entries, const StartedEntries &Runs) {
  lookAtLoops();
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call) || Call->isInlineAsm())
      continue;
    const ApiRow *Row = meaning(*Call);
    for (const Function *F : calledBySetup(*Call))
      if (const Function *Entry = Runs.below(*F))
        goesOn(*Call, "call", sourceName(*Entry));
    if (Row && startsThread(*Row)) {
      startedBySetup(*Call, *Row, Entries);
      for (const Function *F : startedBy(*Call, *Row).Routines)
        if (const Function *Entry = Runs.below(*F))
          goesOn(*Call, "start", sourceName(*Entry));
    } else
      callbacks(*Call, Row), leftRunning(*Call, Row);
  }
}

namespace {

bool sharesMemory(const Module &M) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || !Callee->isDeclaration())
        continue;
      if (Callee->getName() == "shmat")
        return true;
      constexpr unsigned Flags = 3;
      const ApiRow *Row = rowOf(*Callee);
      if (!Row || Row->What != Api::Map || Call->arg_size() <= Flags)
        continue;
      auto *Given = dyn_cast<ConstantInt>(Call->getArgOperand(Flags));
      constexpr std::uint64_t Private = 2; // MAP_PRIVATE
      if (!Given || !(Given->getZExtValue() & Private))
        return true;
    }
  return false;
}

} // namespace

/// What goes on beside the threads when the call has returned.
void Translator::leftRunning(const CallBase &Call, const ApiRow *Row) {
  if (!Row)
    return leftToOthers(Call);
  std::string Name(Row->Name);
  bool Copies = Name == "fork" || Name == "vfork" || Name == "clone";
  if (Copies && sharesMemory(*In.F.getParent()))
    return remark(Call, {words::SharingProcess, Name}, false);
  if (Row->What != Api::Keeps && !clang_ir::goesOn(*Row))
    return;
  mayKeep(Call);
}

void Translator::mayKeep(const CallBase &Call) {
  std::vector<const Origin *> Blocks = below(givenTo(Call));
  if (Blocks.empty())
    return;
  bool Any = any_of(Blocks, [](const Origin *Base) { return !Base->named(); });
  std::vector<ObjectId> On = Any ? std::vector<ObjectId>{} : objectsOf(Blocks);
  Stock.LeftOut.push_back(On);
  remarkKept(Call, On);
}

/// Code that is not in the sources may go on with what it is given.
void Translator::leftToOthers(const CallBase &Call) {
  bool Open = false;
  for (const Function *F : Where.functionsIn(Call.getCalledOperand(), Open)) {
    Declarer By = F->isDeclaration() && !F->isIntrinsic() ? declarerOf(*F) : Declarer::Standard;
    std::string Name = spellFunction(*F);
    bool Known = !F->isDeclaration() || F->isIntrinsic() ||
                 (By == Declarer::Standard && !mayCarryOrder(*F)) || apiOf(*F) || Stock.T.listsSetup(Name);
    if (!Known && By == Declarer::Program && !F->doesNotReturn()) {
      Stock.LeftOut.push_back({});
      remark(Call, {words::SetUpElsewhere, Name}, false);
    }
    Open |= !Known && By != Declarer::Program;
  }
  if (Open)
    mayKeep(Call);
}

/// What the caller of an entry does when the entry has returned belongs to the same thread; what the starter
/// of its thread does then is done beside it, or behind it.
void Translator::goesOn(const CallBase &Entry, StringRef How, const std::string &Name) {
  for (const Instruction *I : behind(Entry)) {
    std::vector<ObjectId> Touched;
    bool Anything = false;
    auto addGiven = [&](const Origin *Block) {
      for (const Origin *Given : Where.givenAs(Block))
        Touched.push_back(Stock.object(In.Home, *Given));
    };
    auto add = [&](const Value *Pointer) {
      for (const Access &A : accesses(Pointer, Unbounded))
        Touched.push_back(A.Target);
      for (const clang_ir::Pointer &P : Where.resolve(Pointer))
        addGiven(P.Base);
    };
    if (auto *Load = dyn_cast<LoadInst>(I))
      add(Load->getPointerOperand());
    else if (auto *Store = dyn_cast<StoreInst>(I))
      add(Store->getPointerOperand());
    else if (auto *Marker = dyn_cast<LifetimeIntrinsic>(I)) {
      // A request may still use a variable of the caller; with 'main' the process ends.
      const bool Inlined = Marker->getDebugLoc() && Marker->getDebugLoc().getInlinedAt();
      if (Marker->getIntrinsicID() == Intrinsic::lifetime_end && (!isMain(In.F) || Inlined))
        add(Marker->getArgOperand(1));
    } else if (isa<DbgInfoIntrinsic>(I))
      continue;
    else if (auto *Call = dyn_cast<CallBase>(I)) {
      Reach All = reachOf(*Call);
      Touched = objectsOf(All.Blocks), Anything = All.Anything;
      for (const Origin *Block : All.Blocks)
        addGiven(Block);
    } else if (I->mayReadOrWriteMemory()) {
      for (const Use &U : I->operands())
        if (U->getType()->isPointerTy())
          add(U);
    }
    if (Anything)
      Touched.clear();
    if (Anything || !Touched.empty())
      Stock.LeftOut.push_back(Touched);
    if (Anything || !Touched.empty())
      remark(*I, {words::BesideEntry, How, Name, sourceName(In.F)}, false, Touched);
  }
}

/// What a thread that set-up code starts may run, and what it is given.
Translator::Started Translator::startedBy(const CallBase &Call, const ApiRow &Row) {
  Started All;
  if (Row.What == Api::SpawnPthread) {
    All.Routines = Where.functionsIn(Call.getArgOperand(Call.arg_size() - 2), All.Open);
    All.Argument = Where.resolve(Call.getArgOperand(Call.arg_size() - 1));
    return All;
  }
  for (const Pointer &Holder : Where.resolve(Call.getArgOperand(1)))
    for (const Pointer &State : Where.whatIsFoundAt(Holder, true)) {
      Pointers::addAll(All.Argument, {State});
      if (!State.Base->named())
        continue;
      llvm::append_range(All.Routines, Where.functionsStoredIn(*State.Base));
      for (const Pointer &Table : Where.whatIsFoundAt({State.Base}, true))
        if (Table.Base->What == Origin::Kind::Global)
          for (const Function *F : Where.functionsStoredIn(*Table.Base))
            if (F->getName().contains("_M_run"))
              All.Routines.push_back(F);
    }
  return All;
}

/// Threads that set-up code starts, and that are neither entries nor only call them.
void Translator::startedBySetup(const CallBase &Call, const ApiRow &Row,
                                const std::set<const Function *> &Entries) {
  auto [Routines, Argument, Open] = startedBy(Call, Row);
  if (Open || Routines.empty())
    Stock.LeftOut.push_back({});
  if (Open || Routines.empty())
    return startsUnknown(Call);
  for (const Function *F : Routines) {
    if (Entries.count(F))
      continue;
    Behaviour Does = behaviourOf(*F, Entries);
    Reach Touched = reachOf(Does, Argument);
    // What a thread takes from there may say which queue it polls, or what it posts.
    Touched.Anything |= Does.Unknown || Where.threadsRead(Does.Runs);
    // What a function that nobody calls is given may be what the entries are given.
    Touched.Anything |= any_of(Touched.Blocks, [](const Origin *Base) {
      return Base->What == Origin::Kind::Pointee && isa_and_nonnull<llvm::Argument>(Base->Root);
    });
    std::vector<ObjectId> On = Touched.Anything ? std::vector<ObjectId>{} : objectsOf(Touched.Blocks);
    if (Touched.Anything || !On.empty())
      Stock.LeftOut.push_back(On);
    if (Touched.Anything || !On.empty())
      remark(Call, {words::ThreadOfSetUp, sourceName(*F)}, false, On);
  }
}

} // namespace rdma::clang_ir
