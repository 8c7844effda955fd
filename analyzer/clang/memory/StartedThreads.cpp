// What a thread is given where it is started, and what set-up code gives to entries.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/PointsTo.h"

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
  if (Instances[I]->Setup || !Instances[I]->Thread)
    return startFromSetup(I, Call, Argument);
  PointerSet Handed = Argument;
  for (const Use &Operand : Call.args())
    if (Operand->getType()->isPointerTy())
      for (const Pointer &P : of(I, Operand))
        if (P.Base->What == Origin::Kind::Code)
          Handed.push_back(P);
  giveAway(Handed);
}

/// A thread that set-up code starts, as a function that it calls: entries are analysed elsewhere.
void PointsTo::startFromSetup(InstanceId I, const CallBase &Call, const PointerSet &Argument) {
  PointerSet Routines;
  for (const Use &Operand : Call.args())
    if (Operand->getType()->isPointerTy())
      addAll(Routines, of(I, Operand));
  // The state of a std::thread leads to its routine by the table of virtual functions.
  for (const Pointer &State : Argument)
    if (State.Base->named())
      for (const Pointer &Table : contents(State, 8, true))
        if (Table.Base->What == Origin::Kind::Global)
          addAll(Routines, contents({Table.Base, 0, Unbounded, 0, {1}}, Unbounded, true));
  for (const Pointer &P : Routines) {
    if (P.Base->What != Origin::Kind::Code)
      continue;
    auto *F = const_cast<Function *>(cast<Function>(P.Base->Root));
    if (!F->isDeclaration() && !Entries.count(F) && F->arg_size())
      grow(Given[{residual(*F), 0}], Argument);
  }
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

} // namespace rdma::clang_ir
