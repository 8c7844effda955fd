#include "analyzer/clang/translate/WholeLocks.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/counts/WordSteps.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

/// Nobody may use a lock behind its end, unless it is set up once more; nor behind that of its block.
bool ends(const Instruction *I) {
  if (auto *Marker = dyn_cast_or_null<IntrinsicInst>(I))
    return Marker->getIntrinsicID() == Intrinsic::lifetime_end;
  auto *Call = dyn_cast_or_null<CallBase>(I);
  const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
  return Row && (Row->What == Api::Frees || StringRef(Row->Name).ends_with("_destroy"));
}

} // namespace

bool WholeLocks::setsUpOrEnds(const Instruction *I) {
  auto *Call = dyn_cast_or_null<CallBase>(I);
  const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
  return ends(I) || (Row && StringRef(Row->Name).ends_with("_init"));
}

const CallBase *WholeLocks::lockCall(const Program &P, const CountedThread &T, StatementId S) {
  auto *Call = S < T.Sources.size() ? dyn_cast_or_null<CallBase>(T.Sources[S]) : nullptr;
  const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
  if (!Row || lockUse(*Call) == LockUse::None)
    return nullptr;
  const OperationKind Kind = P.Threads[T.Index].Statements[S].Op.Kind;
  const bool OfArgument = Kind == Load || (Kind == Store && Row->What != Api::SyncStore);
  return OfArgument ? nullptr : Call;
}

bool WholeLocks::isWhole(const Lock &L) const {
  const std::vector<Access> Places = placesOf(L);
  return !isWritten(L, Places) && !isDelivered(Places) && letsInOne(L) &&
         std::all_of(Process.begin(), Process.end(),
                     [&](const CountedThread *T) { return givesBackOwn(*T, L); });
}

/// A semaphore is a lock where it is set up with one at most, in sight and before any use of it, and nobody
/// comes back from sem_wait without it.
bool WholeLocks::letsInOne(const Lock &L) const {
  auto named = [](const CallBase *Call, StringRef Prefix) {
    return Call && StringRef(rowOf(*Call)->Name).starts_with(Prefix);
  };
  bool IsSemaphore = false, Unchecked = false;
  for (const CountedThread *T : Process)
    for (StatementId S = 0; S < T->Sources.size(); ++S)
      if (const CallBase *Call = lockCall(P, *T, S);
          named(Call, "sem_") && lockOf(*Call, *T).value_or(L) == L) {
        IsSemaphore = true;
        Unchecked |= lockUse(*Call) == LockUse::Takes;
      }
  if (!IsSemaphore)
    return true;
  if (Unchecked && mayBeInterrupted(*Process.front()->F.getParent()))
    return false;
  bool Begins = false;
  for (const CountedThread *T : Process)
    for (const Instruction *I : T->Sources) {
      auto *Call = dyn_cast_or_null<CallBase>(I);
      if (!Call || !rowOf(*Call) || !named(Call, "sem_init") || Call->getFunction() != &T->F)
        continue;
      const std::optional<Lock> Which = lockOf(*Call, *T);
      auto *Value = dyn_cast<ConstantInt>(Call->getArgOperand(2));
      if (Which.value_or(L) == L && (!Value || Value->getZExtValue() > 1))
        return false;
      Begins |= Which == L && comesFirst(*T, *Call);
    }
  return Begins;
}

/// Does the only thread that no other starts pass it on every way to a call of a lock, and before it starts
/// others?
bool WholeLocks::comesFirst(const CountedThread &T, const CallBase &SetUp) const {
  if (T.Start)
    return false;
  for (StatementId S = 0; S < T.Sources.size(); ++S)
    if (const CallBase *Call = lockCall(P, T, S);
        Call && (Call->getFunction() != &T.F || !T.Tree.dominates(&SetUp, Call)))
      return false;
  return std::all_of(Process.begin(), Process.end(), [&](const CountedThread *X) {
    return X == &T || (X->Start && (X->Start->getFunction() != &T.F || T.Tree.dominates(&SetUp, X->Start)));
  });
}

std::vector<Access> WholeLocks::placesOf(const Lock &L) const {
  std::vector<Access> Places;
  for (const CountedThread *T : Process)
    for (StatementId S = 0; S < T->Sources.size(); ++S)
      if (const CallBase *Call = lockCall(P, *T, S);
          Call && lockUse(*Call) != LockUse::Waits && lockOf(*Call, *T) == L)
        if (const Access &Place = P.Threads[T->Index].Statements[S].Op.Local;
            Place.valid() && std::find(Places.begin(), Places.end(), Place) == Places.end())
          Places.push_back(Place);
  return Places;
}

bool WholeLocks::mayReach(const Access &Written, const std::vector<Access> &Places) const {
  return !(ByName && P.Objects[Written.Target].Anything) &&
         std::any_of(Places.begin(), Places.end(),
                     [&](const Access &Place) { return mayOverlap(P, Place, Written); });
}

bool WholeLocks::isWritten(const Lock &L, const std::vector<Access> &Places) const {
  return std::any_of(Process.begin(), Process.end(), [&](const CountedThread *T) {
    const auto &All = P.Threads[T->Index].Statements;
    for (StatementId S = 0; S < T->Sources.size(); ++S)
      if (isCpuWrite(All[S].Op.Kind) && !All[S].Op.Deregisters && !lockCall(P, *T, S) &&
          !ends(T->Sources[S]) && mayReach(All[S].Op.Local, Places) && !isBeforeUse(*T, T->Sources[S], L))
        return true;
    return false;
  });
}

bool WholeLocks::isDelivered(const std::vector<Access> &Places) const {
  return std::any_of(P.Threads.begin(), P.Threads.end(), [&](const Thread &T) {
    return std::any_of(T.Statements.begin(), T.Statements.end(), [&](const Statement &S) {
      return (fetches(S.Op.Kind) && mayReach(S.Op.Local, Places)) ||
             (isRequest(S.Op.Kind) && S.Op.Kind != Get && mayReach(S.Op.Remote, Places));
    });
  });
}

/// Before the only thread that no other starts starts others, and uses the lock itself.
bool WholeLocks::isBeforeUse(const CountedThread &T, const Instruction *I, const Lock &L) const {
  if (T.Start || !I || I->getFunction() != &T.F ||
      std::any_of(Process.begin(), Process.end(),
                  [&](const CountedThread *Other) { return Other != &T && !Other->Start; }))
    return false;
  // What comes behind the place on every way comes before it only around a loop.
  const bool Once = !T.Loops.getLoopFor(I->getParent());
  auto precedes = [&](const CallBase *Call) {
    return Call && Call->getFunction() == &T.F && !(Once && T.Tree.dominates(I, Call)) &&
           isPotentiallyReachable(Call, I);
  };
  for (StatementId S = 0; S < T.Sources.size(); ++S)
    if (const CallBase *Call = lockCall(P, T, S); Call && lockOf(*Call, T).value_or(L) == L && precedes(Call))
      return false;
  return std::none_of(Process.begin(), Process.end(),
                      [&](const CountedThread *X) { return precedes(X->Start); });
}

} // namespace rdma::clang_ir
