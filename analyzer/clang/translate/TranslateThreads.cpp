#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/program/FunctionNames.h"
#include "analyzer/clang/translate/HandleFlow.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

std::string nameOf(const Spawn &S) {
  std::string Name = sourceName(S.Callee ? *S.Callee : *S.Routine);
  bool IsState = !S.Callee && Name.starts_with("_M_run");
  return IsState ? "thread at line " + std::to_string(S.At ? S.At->getLine() : 0) : Name;
}

} // namespace

namespace {

Operation saying(ObjectId Flag) {
  Operation Op;
  Op.Kind = Store;
  Op.Local = {Flag};
  Op.Value = Expression{Term{1, true, 1}};
  return Op;
}

} // namespace

void Translator::say(ObjectId Flag, const Instruction &I) {
  if (Flag != None)
    emit(saying(Flag), I);
}

namespace {

/// Threads are told apart by the whole chain of places that leads to their start.
std::string keyOf(const Site &Where) {
  std::string Key;
  for (const Place &At : Where.Chain)
    Key += At.File + ":" + std::to_string(At.Line) + ":" + std::to_string(At.Column) + "<";
  return Key;
}

} // namespace

void Translator::spawn(Spawn S) {
  Site Where = siteOf(S.Call->getDebugLoc());
  S.At = programPlace(S.Call->getDebugLoc());
  S.Name = nameOf(S);
  S.Key = std::to_string(In.Index) + "/" + keyOf(Where) + std::to_string(Spawned.size());
  S.Started = Stock.flag(In.Home, S.Key, "start of " + S.Name);
  S.Repeated = Loops.getLoopDepth(S.Call->getParent()) > 0;
  for (unsigned Copy = 0; Copy < S.copies(); ++Copy)
    S.Ended.push_back(Stock.flag(In.Home, S.Key + "/" + std::to_string(Copy), "end of " + S.Name));
  if (isa<InvokeInst>(S.Call)) { // which starts nothing where it throws
    Operation Fence;
    Fence.Kind = MemoryFence;
    onEdge(S.Call->getParent(), 0, {{saying(S.Started), Fence}}, *S.Call);
  } else {
    say(S.Started, *S.Call);
  }
  Spawned.push_back(std::move(S));
}

/// A thread that may do anything.
void Translator::startsUnknown(const CallBase &Call) {
  remark(Call, words::RoutineUnknown, false);
  Stock.Unfollowed.push_back({In.Home, siteOf(Call.getDebugLoc())});
}

/// pthread_create and thrd_create: the last two arguments are the routine and what it is given. Where the
/// routine is one of several, each of them may be started.
void Translator::spawnPthread(const CallBase &Call) {
  unsigned Last = Call.arg_size() - 1;
  std::vector<Function *> Routines;
  for (const Value *V : Memory.alternatives(Call.getArgOperand(Last - 1))) {
    auto *F = dyn_cast<Function>(V->stripPointerCasts());
    if (!F || F->isDeclaration())
      return startsUnknown(Call);
    Routines.push_back(const_cast<Function *>(F));
  }
  for (Function *Routine : Routines)
    spawn({&Call, Routine, Where.resolve(Call.getArgOperand(Last)), Where.resolve(Call.getArgOperand(0))});
}

/// A std::thread runs the last virtual function of the state that its constructor allocates; which one, the
/// table of virtual functions says that is stored in the state.
void Translator::spawnStd(const CallBase &Call) {
  PointerSet Holders = Where.resolve(Call.getArgOperand(1));
  for (const Pointer &Holder : Holders) {
    PointerSet States = Where.whatIsFoundAt(Holder, true);
    for (const Pointer &State : States) {
      for (const Pointer &Table : Where.whatIsFoundAt(State, true)) {
        auto *Global = const_cast<GlobalVariable *>(dyn_cast_or_null<GlobalVariable>(Table.Base->Root));
        if (!Global || !Global->hasInitializer())
          continue;
        Function *Run = nullptr;
        for (const Use &Part : Global->getInitializer()->operands())
          for (const Use &Slot : cast<User>(Part)->operands())
            if (auto *F = dyn_cast<Function>(Slot.get()->stripPointerCasts());
                F && F->getName().contains("_M_run"))
              Run = F;
        if (!Run || Run->isDeclaration())
          continue;
        std::vector<const Function *> Held = Where.functionsStoredIn(*State.Base);
        return spawn({&Call,
                      Run,
                      {State},
                      Where.resolve(Call.getArgOperand(0)),
                      Held.size() == 1 ? Held[0] : nullptr});
      }
    }
  }
  startsUnknown(Call);
}

/// A poll may find one of this queue, whatever becomes of its result; an event, one of any.
void Translator::hearOfCompletions(const CallBase &Call, Inventory::Finding What) {
  Operation Op;
  Op.Kind = Load;
  Op.Local = {Stock.news(In.Index, What)};
  emit(Op, Call);
}

/// Where a std::thread ends that has been started, its thread is over.
void Translator::endOfHandle(const IntrinsicInst &End) {
  auto *Variable = dyn_cast<AllocaInst>(End.getArgOperand(1)->stripPointerCasts());
  if (!Variable || !holdsThread(Variable->getAllocatedType()))
    return;
  emit(Operation{}, End);
  Joined.push_back({&End, Current, Where.resolve(Variable), JoinSite::Kind::End});
}

void Translator::findRanges() {
  auto behind = [&](const auto &Joined, const Value *First, JoinSite::Kind What, std::size_t Which) {
    const Instruction &End = *Joined.header()->getTerminator();
    onEdge(Joined.header(), Joined.Exit, {{Operation{}}}, End);
    this->Joined.push_back({&End, None, Where.resolve(First), What, int(Joined.Exit), Which});
  };
  Ranges = findJoinedRanges(Loops, In.F.getDataLayout());
  for (std::size_t I = 0; I < Ranges.size(); ++I)
    behind(Ranges[I], Ranges[I].Begin, JoinSite::Kind::Range, I);
  Arrays = findJoinedArrays(Loops, In.F.getDataLayout());
  for (std::size_t I = 0; I < Arrays.size(); ++I)
    behind(Arrays[I], Arrays[I].Array, JoinSite::Kind::Array, I);
}

/// The ways out of loops that join threads, but those of exceptions.
void Translator::findLeftLoops() {
  std::set<std::pair<const BasicBlock *, unsigned>> Ways;
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call ? meaning(*Call) : nullptr;
    if (!Row || (Row->What != Api::JoinPthread && Row->What != Api::JoinStd))
      continue;
    for (const Loop *L = Loops.getLoopFor(I.getParent()); L; L = L->getParentLoop())
      for (const BasicBlock *Block : L->blocks())
        for (unsigned Out = 0; Out < Block->getTerminator()->getNumSuccessors(); ++Out)
          if (const BasicBlock *Next = Block->getTerminator()->getSuccessor(Out);
              !L->contains(Next) && !Next->isEHPad())
            Ways.emplace(Block, Out);
  }
  for (auto [Block, Out] : Ways) {
    const Instruction &End = *Block->getTerminator();
    onEdge(Block, Out, {{Operation{}}}, End);
    Joined.push_back({&End, None, {}, JoinSite::Kind::Left, int(Out)});
  }
}

/// Where std::thread::joinable says that there is nothing to join.
void Translator::findAbsent() {
  for (const BasicBlock &Block : In.F)
    if (std::optional<AbsentHandle> Absent = seenAbsent(Block)) {
      const Instruction &End = *Block.getTerminator();
      onEdge(&Block, Absent->Successor, {{Operation{}}}, End);
      Joined.push_back(
          {&End, None, Where.resolve(Absent->Handle), JoinSite::Kind::Absent, int(Absent->Successor)});
    }
}

/// Which thread it waits for is known when all starts are.
void Translator::join(const CallBase &Call) {
  const Value *Place = Call.getArgOperand(0);
  if (meaning(Call)->What == Api::JoinPthread) {
    auto *Load = dyn_cast<LoadInst>(Place);
    Place = Load ? Load->getPointerOperand() : nullptr;
  }
  // Where it is seen to have failed it has not waited.
  const int Waited = successorOnZero(&Call);
  const bool OnEdge = Waited >= 0 && quietUntilEnd(Call);
  if (OnEdge)
    onEdge(Call.getParent(), Waited, {{Operation{}}}, Call);
  else
    emit(Operation{}, Call);
  Joined.push_back({&Call, OnEdge ? None : Current, Place ? Where.resolve(Place) : PointerSet{}});
}

} // namespace rdma::clang_ir
