#include "analyzer/clang/translate/LocksHeld.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/translate/FailedCalls.h"
#include "analyzer/clang/translate/Tested.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <iterator>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

bool condition(StringRef Name) { return Name.contains("cond_") || Name.starts_with("cnd_"); }

/// Does each thread have one of its own under this name?
bool ofEachThread(const Origin *Block, const CountedThread &T) {
  for (; Block; Block = Block->Holder) {
    auto *Global = dyn_cast_or_null<GlobalVariable>(Block->Root);
    auto *Made = dyn_cast_or_null<Instruction>(Block->Root);
    if ((Global && Global->isThreadLocal()) || (Made && T.Start && Made->getFunction() == &T.F))
      return true;
  }
  return false;
}

/// What the call works on: a condition variable's is the lock that it gives back and takes again.
PointerSet locksOf(const CallBase &Call, const CountedThread &T) {
  const ApiRow *Row = rowOf(Call);
  unsigned At = Row && (condition(Row->Name) || Row->What == Api::SyncThrough) ? 1 : 0;
  if (!Row || Call.arg_size() <= At)
    return {};
  PointerSet Found = T.Where.resolve(Call.getArgOperand(At));
  if (Row->What != Api::SyncThrough)
    return Found;
  PointerSet Behind;
  for (const Pointer &Holder : Found)
    Pointers::addAll(Behind, T.Where.whatIsFoundAt(Holder, true));
  return Behind;
}

bool mayBe(const PointerSet &Locks, const Lock &L) {
  return Locks.empty() || any_of(Locks, [&](const Pointer &P) {
           const bool Elsewhere = P.exact() && P.Low != L.second && !P.Base->Many;
           return (P.Base == L.first && !Elsewhere) || !P.Base->named();
         });
}

/// How often each lock is held, at least.
using Holdings = std::map<Lock, unsigned>;

Holdings inBoth(const Holdings &A, const Holdings &B) {
  Holdings Both;
  for (const auto &[L, Times] : A)
    if (auto Found = B.find(L); Found != B.end())
      Both[L] = std::min(Times, Found->second);
  return Both;
}

std::set<Lock> locksIn(const Holdings &Held) {
  std::set<Lock> Locks;
  for (const auto &[L, Times] : Held)
    Locks.insert(L);
  return Locks;
}

/// Behind a call that has taken it.
void take(const CallBase &Call, const Lock &On, const CountedThread &T, Holdings &Now) {
  constexpr unsigned Most = 16;
  // Of a call that may do nothing it is not known how often the lock is held behind it.
  Now[On] = T.MayDoNothing.count(&Call) ? 1 : std::min(Now[On] + 1, Most);
}

void apply(const CallBase &Call, const CountedThread &T, Holdings &Now) {
  const LockUse Use = lockUse(Call);
  const std::optional<Lock> On = Use == LockUse::None ? std::nullopt : lockOf(Call, T);
  const bool Counts = !T.MayDoNothing.count(&Call);
  // What works on a lock that is not known may give any back.
  if ((Use == LockUse::GivesBack || Use == LockUse::Waits) && !On)
    Now.clear();
  else if (Use == LockUse::Takes && On)
    take(Call, *On, T, Now);
  else if (Use == LockUse::GivesBack)
    if (auto Held = Now.find(*On); Held != Now.end() && (!Counts || --Held->second == 0))
      Now.erase(Held);
}

/// The successor of the call's block where the result is zero, if the test there is all that hangs on it.
std::optional<unsigned> wayWhereTaken(const CallBase &Call) {
  const auto Failed = waysWhereFailed(Call);
  const bool OneTest = Failed.size() == 1 && Failed[0].first == Call.getParent();
  const bool Plain = isa_and_nonnull<CmpInst>(testedAtEnd(*Call.getParent()));
  return OneTest && Plain ? std::optional(1 - Failed[0].second) : std::nullopt;
}

} // namespace

bool waitsForLock(const CallBase &Call) {
  const ApiRow *Row = rowOf(Call);
  return Row &&
         StringSwitch<bool>(Row->Name)
             .Cases("pthread_mutex_lock", "pthread_spin_lock", "mtx_lock", "pthread_rwlock_wrlock", true)
             .Default(false);
}

/// As std::__throw_length_error, in each container that grows. It knows of no lock.
static bool throwsForLibrary(const CallBase &Call) {
  const Function *Callee = calledFunction(Call);
  return Callee && Callee->isDeclaration() && Callee->doesNotReturn() &&
         declarerOf(*Callee) == Declarer::Standard;
}

LockUse lockUse(const CallBase &Call) {
  const ApiRow *Row = rowOf(Call);
  if (!Row) // code that is not followed may give any lock back
    return isa<IntrinsicInst>(Call) || throwsForLibrary(Call) ? LockUse::None : LockUse::Waits;
  if (Row->What == Api::SyncThrough)
    return LockUse::Waits;
  if (waitsForLock(Call))
    return waysWhereFailed(Call).empty() ? LockUse::Takes : LockUse::Tries;
  return StringSwitch<LockUse>(Row->Name)
      .Case("sem_wait", Call.use_empty() ? LockUse::Takes : LockUse::Tries)
      .Cases("pthread_mutex_trylock", "pthread_spin_trylock", "mtx_trylock", LockUse::Tries)
      .Cases("pthread_mutex_timedlock", "pthread_mutex_clocklock", "mtx_timedlock", LockUse::Tries)
      // Of a lock that is only written under: one for reading is no lock here, nor held where it is given
      // back.
      .Cases("pthread_mutex_unlock", "pthread_spin_unlock", "mtx_unlock", "pthread_rwlock_unlock",
             LockUse::GivesBack)
      .Case("sem_post", LockUse::GivesBack)
      .Cases("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", LockUse::Waits)
      .Cases("cnd_wait", "cnd_timedwait", LockUse::Waits)
      .Default(LockUse::None);
}

std::optional<std::pair<const CallBase *, unsigned>> triedIn(const BasicBlock &Block) {
  for (const Instruction &I : reverse(Block))
    if (auto *Call = isa<IntrinsicInst>(I) ? nullptr : dyn_cast<CallBase>(&I);
        Call && waitsForLock(*Call) && lockUse(*Call) == LockUse::Tries)
      if (auto Taken = wayWhereTaken(*Call))
        return std::pair(Call, *Taken);
  const auto End = testedNumberAtEnd(Block);
  auto *Call = End ? dyn_cast<CallBase>(End->What) : nullptr;
  if (!Call || Call->getParent() != &Block || waitsForLock(*Call) || lockUse(*Call) != LockUse::Tries)
    return std::nullopt;
  return End->With->isZero() ? std::optional(std::pair(Call, End->OnEqual)) : std::nullopt;
}

std::optional<Lock> oneOf(const PointerSet &Places) {
  if (Places.size() != 1 || !Places[0].Base->named() || Places[0].Base->Many || !Places[0].exact())
    return std::nullopt;
  return Lock{Places[0].Base, Places[0].Low};
}

std::optional<Lock> lockOf(const CallBase &Call, const CountedThread &T) {
  std::optional<Lock> Found = oneOf(locksOf(Call, T));
  return Found && !ofEachThread(Found->first, T) ? Found : std::nullopt;
}

std::map<const Instruction *, std::set<Lock>> locksHeld(const CountedThread &T) {
  using Held = std::optional<Holdings>; // nothing: no way there yet
  std::map<const BasicBlock *, Held> Entering;
  std::map<const Instruction *, std::set<Lock>> Before;
  Entering[&T.F.getEntryBlock()] = Holdings{};
  std::vector<const BasicBlock *> Work{&T.F.getEntryBlock()};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.back();
    Work.pop_back();
    Holdings Now = *Entering[Block];
    for (const Instruction &I : *Block) {
      auto *Call = isa<IntrinsicInst>(I) ? nullptr : dyn_cast<CallBase>(&I);
      if (Call || !Now.empty())
        Before[&I] = locksIn(Now);
      else
        Before.erase(&I);
      if (Call)
        apply(*Call, T, Now);
    }
    const auto Tried = triedIn(*Block);
    for (const BasicBlock *Next : successors(Block)) {
      Holdings There = Now;
      if (Tried && Block->getTerminator()->getSuccessor(Tried->second) == Next)
        if (std::optional<Lock> On = lockOf(*Tried->first, T))
          waitsForLock(*Tried->first) ? take(*Tried->first, *On, T, There) : void(There.try_emplace(*On, 1));
      Held &Known = Entering[Next];
      if (Known)
        There = inBoth(*Known, There);
      if (!Known || *Known != There) {
        Known = std::move(There);
        Work.push_back(Next);
      }
    }
  }
  return Before;
}

bool givesBackOwn(const CountedThread &T, const Lock &L) {
  const std::map<const Instruction *, std::set<Lock>> Held = locksHeld(T);
  return none_of(T.Sources, [&](const Instruction *I) {
    auto *Call = dyn_cast_or_null<CallBase>(I);
    if (!Call || !rowOf(*Call))
      return false;
    LockUse Use = lockUse(*Call);
    if ((Use != LockUse::GivesBack && Use != LockUse::Waits) || !mayBe(locksOf(*Call, T), L))
      return false;
    auto Found = Held.find(Call);
    return Found == Held.end() || !Found->second.count(L);
  });
}

} // namespace rdma::clang_ir
