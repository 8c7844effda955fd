#include "analyzer/clang/translate/LocksHeld.h"
#include "analyzer/clang/api/Declared.h"

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

} // namespace

LockUse lockUse(const CallBase &Call) {
  const ApiRow *Row = rowOf(Call);
  if (!Row) // code that is not followed may give any lock back
    return isa<IntrinsicInst>(Call) ? LockUse::None : LockUse::Waits;
  if (Row->What == Api::SyncThrough)
    return LockUse::Waits;
  return StringSwitch<LockUse>(Row->Name)
      .Cases("pthread_mutex_lock", "pthread_spin_lock", "mtx_lock", LockUse::Takes)
      .Cases("pthread_mutex_unlock", "pthread_spin_unlock", "mtx_unlock", LockUse::GivesBack)
      .Cases("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", LockUse::Waits)
      .Cases("cnd_wait", "cnd_timedwait", LockUse::Waits)
      .Default(LockUse::None);
}

std::optional<Lock> lockOf(const CallBase &Call, const CountedThread &T) {
  const ApiRow *Row = rowOf(Call);
  unsigned At = Row && condition(Row->Name) ? 1 : 0;
  if (!Row || Row->What == Api::SyncThrough || Call.arg_size() <= At)
    return std::nullopt;
  PointerSet Found = T.Where.resolve(Call.getArgOperand(At));
  if (Found.size() != 1 || !Found[0].Base->named() || Found[0].Base->Many || !Found[0].exact() ||
      ofEachThread(Found[0].Base, T))
    return std::nullopt;
  return Lock{Found[0].Base, Found[0].Low};
}

std::map<const CallBase *, std::set<Lock>> locksHeld(const CountedThread &T) {
  using Held = std::optional<std::set<Lock>>; // nothing: no way there yet
  std::map<const BasicBlock *, Held> Entering;
  std::map<const CallBase *, std::set<Lock>> Before;
  Entering[&T.F.getEntryBlock()] = std::set<Lock>{};
  std::vector<const BasicBlock *> Work{&T.F.getEntryBlock()};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.back();
    Work.pop_back();
    std::set<Lock> Now = *Entering[Block];
    for (const Instruction &I : *Block) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isa<IntrinsicInst>(Call))
        continue;
      Before[Call] = Now;
      LockUse Use = lockUse(*Call);
      std::optional<Lock> On = Use == LockUse::None ? std::nullopt : lockOf(*Call, T);
      // What works on a lock that is not known may give any back.
      if ((Use == LockUse::GivesBack || Use == LockUse::Waits) && !On)
        Now.clear();
      else if (Use == LockUse::Takes && On)
        Now.insert(*On);
      else if (Use == LockUse::GivesBack)
        Now.erase(*On);
    }
    for (const BasicBlock *Next : successors(Block)) {
      Held &There = Entering[Next];
      std::set<Lock> Both;
      if (There)
        std::set_intersection(There->begin(), There->end(), Now.begin(), Now.end(),
                              std::inserter(Both, Both.end()));
      else
        Both = Now;
      if (!There || *There != Both) {
        There = std::move(Both);
        Work.push_back(Next);
      }
    }
  }
  return Before;
}

} // namespace rdma::clang_ir
