#include "analyzer/clang/translate/NestedLocks.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/translate/LocksHeld.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// PTHREAD_MUTEX_NORMAL, _RECURSIVE, _ERRORCHECK and _ADAPTIVE_NP.
AskedTwice ofKind(const Value *Number) {
  enum : std::uint64_t { Normal, Recursive, Adaptive = 3 };
  auto *Kind = dyn_cast<ConstantInt>(Number);
  if (Kind && (Kind->getZExtValue() == Normal || Kind->getZExtValue() == Adaptive))
    return AskedTwice::Waits;
  return Kind && Kind->getZExtValue() == Recursive ? AskedTwice::Nests : AskedTwice::MayBeRefused;
}

AskedTwice ofMtx(const Value *Number) {
  auto *Kind = dyn_cast<ConstantInt>(Number);
  if (!Kind)
    return AskedTwice::MayBeRefused;
  return Kind->getZExtValue() & 1 ? AskedTwice::Nests : AskedTwice::Waits; // mtx_recursive
}

/// By the number that is where an initialised mutex has its kind.
AskedTwice ofInitial(const Constant &Initial) {
  constexpr unsigned Kind = 4; // of __pthread_mutex_s: lock, count, owner, users, kind
  AskedTwice Found = AskedTwice::Waits;
  if (isa<ConstantStruct>(Initial) && Initial.getNumOperands() > Kind &&
      isa<ConstantInt>(Initial.getOperand(Kind)))
    Found = ofKind(Initial.getOperand(Kind));
  for (const Use &Part : Initial.operands())
    if (auto *Inner = dyn_cast<Constant>(Part); Inner && isa<ConstantAggregate>(Inner))
      Found = std::max(Found, ofInitial(*Inner));
  return Found;
}

/// What the calls of a function ask for by this argument.
AskedTwice ofCalls(const Function &F, unsigned Argument, AskedTwice (*Of)(const Value *)) {
  AskedTwice Found = AskedTwice::Waits;
  for (const User *U : F.users()) {
    auto *Call = dyn_cast<CallBase>(U);
    Found = std::max(Found, Call && Call->getCalledOperand() == &F ? Of(Call->getArgOperand(Argument))
                                                                   : AskedTwice::MayBeRefused);
  }
  return Found;
}

std::optional<Lock> oneLock(const CallBase &Call, Pointers &Where) {
  return oneOf(Where.resolve(Call.getArgOperand(0)));
}

/// How often a lock is held; nothing: that is not known.
using Times = std::optional<unsigned>;

Times behind(const CallBase &Call, const Lock &Mine, Times Before, Pointers &Where) {
  constexpr unsigned Most = 16;
  const LockUse Use = waitsForLock(Call) ? LockUse::Takes : lockUse(Call);
  if (Use == LockUse::None || !Before)
    return Before;
  if (Use != LockUse::Takes && Use != LockUse::GivesBack)
    return std::nullopt;
  const std::optional<Lock> Which = oneLock(Call, Where);
  if (!Which)
    return std::nullopt;
  if (*Which != Mine)
    return Before;
  if (Use == LockUse::Takes)
    return *Before < Most ? Times(*Before + 1) : std::nullopt;
  return *Before ? Times(*Before - 1) : std::nullopt;
}

} // namespace

AskedTwice whenAskedTwice(const Module &M) {
  AskedTwice Found = AskedTwice::Waits;
  for (const Function &F : M) {
    StringRef Name = F.getName();
    if (Name.contains("recursive_mutex") || Name.contains("recursive_timed_mutex"))
      Found = std::max(Found, AskedTwice::Nests);
    if (Name == "pthread_mutexattr_settype" || Name == "mtx_init")
      Found = std::max(Found, ofCalls(F, 1, Name == "mtx_init" ? ofMtx : ofKind));
  }
  for (const GlobalVariable &G : M.globals())
    if (G.hasInitializer() && isa<ConstantAggregate>(G.getInitializer()))
      Found = std::max(Found, ofInitial(*G.getInitializer()));
  return Found;
}

std::optional<unsigned> timesHeld(const CallBase &Call, Pointers &Where) {
  const std::optional<Lock> Mine = oneLock(Call, Where);
  if (!Mine)
    return std::nullopt;
  std::map<const BasicBlock *, Times> Entering;
  const BasicBlock *Entry = &Call.getFunction()->getEntryBlock();
  Entering[Entry] = 0;
  std::vector<const BasicBlock *> Work{Entry};
  Times Here;
  while (!Work.empty()) {
    const BasicBlock *Block = Work.back();
    Work.pop_back();
    Times Now = Entering[Block];
    for (const Instruction &I : *Block) {
      auto *Other = dyn_cast<CallBase>(&I);
      if (Other == &Call)
        Here = Now;
      if (Other && !isa<IntrinsicInst>(Other))
        Now = behind(*Other, *Mine, Now, Where);
    }
    for (const BasicBlock *Next : successors(Block)) {
      auto [There, New] = Entering.try_emplace(Next, Now);
      if (!New && (!There->second || There->second == Now))
        continue;
      if (!New)
        There->second = std::nullopt;
      Work.push_back(Next);
    }
  }
  return Here;
}

} // namespace rdma::clang_ir
