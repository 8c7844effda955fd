// What a thread is given where it is started, and what set-up code gives to entries.
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/PointsTo.h"

#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

/// Threads that are analysed as such get the argument; of others the routine runs as a function.
void PointsTo::startThreads(InstanceId I, const CallBase &Call) {
  const Value *Last = Call.getArgOperand(Call.arg_size() - 1);
  const Function *Callee = calledFunction(Call);
  const ApiRow *Row = Callee ? apiOf(Callee->getName()) : nullptr;
  bool Std = Row && Row->What == Api::SpawnStd;
  PointerSet Argument;
  if (Std)
    for (const Pointer &Holder : of(I, Call.getArgOperand(1)))
      addAll(Argument, contents(Holder, 8, true));
  else
    Argument = of(I, Last);
  bool Analysed = false;
  for (InstanceId Child = 0; Child < Instances.size(); ++Child)
    if (Instances[Child]->Parent == I && Instances[Child]->Start == &Call) {
      Analysed = true;
      grow(Given[{Child, 0}], Argument);
    }
  if (Analysed)
    return;
  const bool FromSetup = Instances[I]->Setup || !Instances[I]->Thread;
  // One that is not known as a thread yet does what it does all the same: its state leads to the routine.
  if ((FromSetup || Std) && (startFromSetup(I, Call, Argument) || FromSetup))
    return;
  PointerSet Handed = Argument;
  for (const Use &Operand : Call.args())
    if (Operand->getType()->isPointerTy())
      for (const Pointer &P : of(I, Operand))
        if (P.Base->What == Origin::Kind::Code)
          Handed.push_back(P);
  giveAway(Handed);
}

/// Of the tables of a std::thread's state: in the sources, or one that does nothing to them.
static bool isHereOrKnown(const Function &F) {
  return !F.isDeclaration() || apiOf(F.getName()) || F.getName().starts_with("_ZNSt6thread6_StateD");
}

/// A thread that set-up code starts, as a function that it calls: entries are analysed elsewhere. Of a
/// std::thread, says whether all that its state may run is here, as far as is known by now.
bool PointsTo::startFromSetup(InstanceId I, const CallBase &Call, const PointerSet &Argument) {
  PointerSet Routines;
  for (const Use &Operand : Call.args())
    if (Operand->getType()->isPointerTy())
      addAll(Routines, of(I, Operand));
  // The state of a std::thread leads to its routine by the table of virtual functions.
  PointerSet Virtual;
  bool AllHere = true;
  for (const Pointer &State : Argument) {
    if (State.Base->What == Origin::Kind::Null)
      continue;
    AllHere &= State.Base->named();
    for (const Pointer &Table : State.Base->named() ? contents(State, 8, true) : PointerSet{}) {
      AllHere &= Table.Base->What == Origin::Kind::Global;
      if (Table.Base->What == Origin::Kind::Global)
        addAll(Virtual, contents({Table.Base, 0, Unbounded, 0, {1}}, Unbounded, true));
    }
  }
  AllHere &= all_of(Virtual, [](const Pointer &P) {
    return P.Base->named() || P.Base->What == Origin::Kind::Null ||
           (P.Base->What == Origin::Kind::Code && isHereOrKnown(*cast<Function>(P.Base->Root)));
  });
  addAll(Routines, Virtual);
  for (const Pointer &P : Routines) {
    if (P.Base->What != Origin::Kind::Code)
      continue;
    auto *F = const_cast<Function *>(cast<Function>(P.Base->Root));
    if (!F->isDeclaration() && !Entries.count(F) && F->arg_size())
      grow(Given[{residual(*F), 0}], Argument);
  }
  return AllHere;
}

/// What set-up code has put into the object that it gives to an entry is there.
void PointsTo::callEntry(InstanceId I, const Function &Entry, const CallBase &Call) {
  for (InstanceId T = 0; T < Instances.size(); ++T) {
    if (&Instances[T]->F != &Entry || !Instances[T]->Thread || Instances[T]->Parent != ~0u)
      continue;
    for (unsigned A = 0; A < Call.arg_size() && A < Entry.arg_size(); ++A)
      if (Entry.getArg(A)->getType()->isPointerTy())
        for (const Pointer &Mine : of(T, Entry.getArg(A)))
          for (const Pointer &Actual : of(I, Call.getArgOperand(A)))
            if (Mine.Base->named() && Mine.Base != Actual.Base) {
              copy({Mine}, {Actual}, Unbounded, I);
              GivenAs[Actual.Base].insert(Mine.Base);
            }
  }
}

/// Follows the call no pointer that it finds where an argument leads to?
static bool staysInPlace(const ApiRow &Row) {
  return Row.What == Api::Memory || Row.What == Api::Sync || Row.What == Api::SyncStore ||
         Row.What == Api::PollCq || startsThread(Row);
}

/// Reads of an instruction: how many bytes from where its pointer leads; Further: and all that is found
/// there.
static void eachRead(const Instruction &I,
                     function_ref<void(const Value *, std::int64_t Size, bool Further)> See) {
  const DataLayout &Layout = I.getModule()->getDataLayout();
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return See(Load->getPointerOperand(), Layout.getTypeStoreSize(Load->getType()), false);
  if (auto *Modify = dyn_cast<AtomicRMWInst>(&I))
    return See(Modify->getPointerOperand(), 8, false);
  if (auto *Modify = dyn_cast<AtomicCmpXchgInst>(&I))
    return See(Modify->getPointerOperand(), 8, false);
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || isa<DbgInfoIntrinsic>(I) || isa<LifetimeIntrinsic>(I))
    return;
  const Function *Callee = calledFunction(*Call);
  const ApiRow *Row = Callee ? rowOf(*Callee) : nullptr;
  for (const Use &U : Call->args()) {
    if (!U->getType()->isPointerTy())
      continue;
    if (auto *Copies = dyn_cast<AnyMemTransferInst>(Call)) {
      if (U == Copies->getRawSource())
        See(U, Unbounded, false);
    } else if (!Row)
      See(U, Unbounded, !Callee || !Callee->isIntrinsic());
    else if (ArgumentUse Does = useOf(*Call, U.getOperandNo(), *Row); Does.Reads)
      See(U, Does.Size, !staysInPlace(*Row) || furtherUse(*Call, U.getOperandNo(), *Row).Steps > 0);
  }
}

bool PointsTo::threadsRead(const std::set<const Function *> &WrittenBy) {
  auto isWriter = [&](InstanceId Writer) {
    return Writer < Instances.size() && WrittenBy.count(&Instances[Writer]->F);
  };
  for (InstanceId I = 0; I < Instances.size(); ++I) {
    if (!Instances[I]->Thread || Instances[I]->Setup)
      continue;
    bool Read = false;
    auto see = [&](const Value *Pointer, std::int64_t Size, bool Further) {
      const PointerSet At = of(I, Pointer);
      Read = Read ||
             any_of(At, [&](const clang_ir::Pointer &P) { return anyWrite(P, Size, isWriter, false); }) ||
             (Further && any_of(reachable(At), [&](const clang_ir::Pointer &P) {
                return anyWrite(P, Unbounded, isWriter, false);
              }));
    };
    for (const Instruction &Inst : instructions(Instances[I]->F))
      eachRead(Inst, see);
    if (Read)
      return true;
  }
  return false;
}

} // namespace rdma::clang_ir
