// Order that threads and nodes make outside memory: locks and their like, and messages.
//
// A synchronisation object is its own memory, and each use an atomic step on it: so it orders CPUs, and never
// the NIC. A message through a socket, a pipe or the connection manager goes through a node of its own,
// "outside", that every thread reaches by a queue pair of its own: sending is a WRITE there that has arrived
// when the call returns, receiving a READ. So what a NIC still has under way when the message leaves is under
// way for those, too, who receive it.
#include "analyzer/clang/api/CxxStreams.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Messages.h"
#include "analyzer/clang/api/SystemCalls.h"
#include "analyzer/clang/translate/LocksHeld.h"
#include "analyzer/clang/translate/NestedLocks.h"
#include "analyzer/clang/translate/RemoteFields.h"
#include "analyzer/clang/translate/Translator.h"
#include "analyzer/core/Streams.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <set>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

constexpr std::int64_t ObjectSize = 4; // enough to tell two objects apart

/// Does it say that it cannot have its object, after a look at it?
bool mayOnlyLook(StringRef Name) {
  return Name.starts_with("pthread_rwlock_t") || Name.starts_with("pthread_rwlock_c") ||
         Name == "sem_getvalue" || Name == "sem_trywait" || Name == "sem_timedwait" ||
         Name == "sem_clockwait";
}

/// May there be nothing to do, for good or because nobody waits? What it saw then tells the program nothing.
bool mayDoNothing(StringRef Name) {
  return Name.contains("once") || Name.contains("signal") || Name.contains("broadcast") ||
         Name.contains("notify") || Name == "__cxa_guard_acquire" ||
         Name == "pthread_rwlock_rdlock"; // a lock of its own: refused
}

bool takesRwLock(StringRef Name) {
  return Name.starts_with("pthread_rwlock_") && Name.ends_with("lock") && !Name.ends_with("_unlock");
}
bool isWriteLock(StringRef Name) { return Name == "pthread_rwlock_wrlock"; }

/// One that several calls of sem_open may give.
bool isNamedSemaphore(const Pointer &P) {
  auto *Call = dyn_cast_or_null<CallBase>(P.Base->Root);
  const Function *Callee = Call ? calledFunction(*Call) : nullptr;
  return Callee && Callee->getName() == "sem_open";
}

bool isMutex(StringRef Name) { return Name.starts_with("pthread_mutex_") || Name.starts_with("mtx_"); }

bool startsOne(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
  return Row && startsThread(*Row);
}

/// May the process have one thread only when the call is made? The C library then takes locks by plain
/// stores.
bool mayBeAlone(const CallBase &Call, const ThreadInput &In, const Topology &T, const DominatorTree &Tree) {
  if (In.Start)
    return false;
  StringRef Name = StringRef(In.Entry).rsplit(':').second; // of NODE:ENTRY, where two programs have it
  for (const TopologyNode &Node : T.Nodes)
    if (Node.Entries.size() > 1 && is_contained(Node.Entries, Name.empty() ? In.Entry : Name))
      return false;
  return none_of(instructions(In.F),
                 [&](const Instruction &I) { return startsOne(I) && Tree.dominates(&I, &Call); });
}

} // namespace

void Translator::synchronise(const CallBase &Call, const ApiRow &Row) {
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    if (static_cast<int>(I) != Row.Writes && static_cast<int>(I) != Row.Reads)
      for (OperationKind Kind : {Load, Store})
        touchArgument(Call, I, Row, Kind);
  PointerSet Objects = Where.resolve(Call.getArgOperand(Row.Writes));
  if (Row.Reads >= 0) {
    PointerSet Second = Where.resolve(Call.getArgOperand(Row.Reads));
    if (Row.What == Api::SyncThrough) {
      PointerSet Found;
      for (const Pointer &Holder : Second)
        Pointers::addAll(Found, Where.whatIsFoundAt(Holder, true));
      Second = std::move(Found);
    }
    // What a condition variable releases and takes again.
    if (Second.empty())
      Objects.clear();
    else
      Pointers::addAll(Objects, Second);
  }
  if (any_of(Objects, isNamedSemaphore)) // other processes may have it, too
    message(Call, {Row.Name, Row.Name == "sem_post" ? Api::Sends : Api::Receives});
  bool Known = !Objects.empty();
  for (const Pointer &P : Objects)
    Known &= P.Base->named();
  if (!Known) {
    remark(Call, {words::SyncUnknown, Row.Name}, false);
    return fence(Call);
  }
  Ways All;
  for (const Pointer &P : Objects) {
    Operation Op;
    Op.Kind = Row.What == Api::SyncStore ? Store : LocalRmw;
    Op.Local =
        isNamedSemaphore(P) ? Access{Stock.flag(In.Home, "", "named semaphores")} : access(P, ObjectSize);
    All.push_back({Op});
    // Where that is all, the stores before it may still wait in the CPU's buffer.
    Op.Kind = Load;
    if (mayOnlyLook(Row.Name))
      All.push_back({Op});
  }
  bool Owned = false;
  if (isMutex(Row.Name)) {
    const Asked Finds = asks(Call);
    if (Finds == Asked::AnotherTime) // he counts, and touches nothing that others look at
      return;
    Owned = Finds == Asked::MayBeEither || mayBeAlone(Call, In, Stock.T, Tree);
  }
  if (Owned || (isWriteLock(Row.Name) ? mayHoldAlready(Call) : mayDoNothing(Row.Name))) {
    All.push_back({});
    MayDoNothing.insert(&Call);
  }
  if (const auto Tried = triedIn(*Call.getParent()); Tried && Tried->first == &Call && quietUntilEnd(Call))
    return tryLock(Call, std::move(All), Tried->second);
  // Each of them, one after the other, where there are two that the call works on.
  if (Row.Reads >= 0)
    for (const Way &W : All)
      emit(Ways{W}, Call);
  else
    emit(All, Call);
}

/// What the thread does to a mutex that it may have already, or keep.
Translator::Asked Translator::asks(const CallBase &Call) {
  const AskedTwice Then = whenAskedTwice(*In.F.getParent());
  if (Then == AskedTwice::Waits)
    return Asked::TheFirstTime;
  const std::optional<unsigned> Times = Then == AskedTwice::Nests ? timesHeld(Call, Where) : std::nullopt;
  const LockUse Use = waitsForLock(Call) ? LockUse::Takes : lockUse(Call);
  if (!Times || (Use != LockUse::Takes && Use != LockUse::GivesBack) ||
      (Use == LockUse::GivesBack && !*Times))
    return Asked::MayBeEither;
  return *Times == (Use == LockUse::GivesBack) ? Asked::TheFirstTime : Asked::AnotherTime;
}

/// As a compare-and-swap that succeeds on one way out of the block, and fails on the other.
void Translator::tryLock(const CallBase &Call, Ways All, unsigned Taken) {
  for (unsigned Way = 0; Way < 2; ++Way) {
    for (std::vector<Operation> &Steps : All)
      for (Operation &Op : Steps)
        if (Op.Kind == LocalRmw || Op.Kind == LocalCas) {
          Op.Kind = LocalCas;
          Op.Success = Way == Taken ? Operation::Outcome::Succeeds : Operation::Outcome::Fails;
        }
    onEdge(Call.getParent(), Way, All, Call);
  }
}

/// May the thread have the lock that it asks for here to write under? Then it is refused.
bool Translator::mayHoldAlready(const CallBase &Call) {
  const PointerSet Mine = Where.resolve(Call.getArgOperand(0));
  auto isMine = [&](const CallBase &Other) {
    const PointerSet On = Where.resolve(Other.getArgOperand(0));
    return On.size() == 1 && Mine.size() == 1 && On[0] == Mine[0] && On[0].exact() && !On[0].Base->Many;
  };
  std::set<const BasicBlock *> Seen;
  std::vector<const Instruction *> Work{&Call};
  while (!Work.empty()) {
    const Instruction *I = Work.back();
    Work.pop_back();
    const BasicBlock *Block = I->getParent();
    bool GivenBack = false;
    for (I = I == &Call ? I->getPrevNode() : I; I && !GivenBack; I = I->getPrevNode()) {
      auto *Other = dyn_cast<CallBase>(I);
      if (!Other || isa<IntrinsicInst>(Other))
        continue;
      const ApiRow *Row = meaning(*Other);
      if (!Row || takesRwLock(Row->Name))
        return true;
      GivenBack = StringRef(Row->Name) == "pthread_rwlock_unlock" && isMine(*Other);
    }
    for (const BasicBlock *Before : predecessors(Block))
      if (!GivenBack && Seen.insert(Before).second)
        Work.push_back(Before->getTerminator());
  }
  return false;
}

/// syscall(number, ...): a few that change nothing are known.
void Translator::systemCall(const CallBase &Call) {
  enum : std::uint64_t { GetPid = 39, GetTid = 186, SchedYield = 24, GetCpu = 309, GetRandom = 318 };
  auto Number = single(Memory.constants(Call.getArgOperand(0)));
  // An address may be handed over as a number.
  bool Hides = any_of(drop_begin(Call.args()), [&](const Use &U) {
    return U->getType()->isIntegerTy(64) && !isa<Constant>(U) && !Memory.constants(U);
  });
  if (Number && futex(Call, *Number))
    return;
  bool Known = Number && (*Number == GetPid || *Number == GetTid || *Number == SchedYield ||
                          *Number == GetCpu || *Number == GetRandom);
  if (!Known || Hides)
    return unknown(Call);
  touch(Call);
  fence(Call);
}

/// Sleeping until a word changes only looks at it, and at how long; waking touches nothing. What was seen of
/// the word is what the loads around it say: either may come too early.
bool Translator::futex(const CallBase &Call, std::uint64_t Number) {
  constexpr unsigned Word = 1, What = 2, Until = 4;
  if (Call.arg_size() <= What)
    return false;
  auto Asked = single(Memory.constants(Call.getArgOperand(What)));
  const FutexUse Does = Asked ? futexUse(Number, *Asked) : FutexUse::Other;
  if (Does == FutexUse::Other)
    return false;
  fence(Call);
  if (Does == FutexUse::Sleeps) {
    emit(each(Load, Call.getArgOperand(Word), 4), Call);
    if (Call.arg_size() > Until && Call.getArgOperand(Until)->getType()->isPointerTy())
      emit(each(Load, Call.getArgOperand(Until), 16), Call);
    fence(Call);
  }
  return true;
}

/// The variable that says through which end of a connection a call sends or receives; empty: not known.
std::string Translator::connectionOf(const CallBase &Call) {
  if (Call.arg_empty() || !Call.getArgOperand(0)->getType()->isIntegerTy())
    return "";
  const std::vector<Sum> Sums = In.Fields->sums(Call.getArgOperand(0));
  const bool Plain = Sums.size() == 1 && Sums[0].Leaves.size() == 1 && !Sums[0].Low && !Sums[0].High;
  return Plain ? In.Fields->path(Sums[0].Leaves[0]) : "";
}

/// Does the stream lead nowhere but to a string of its own?
bool Translator::isText(const Value *Stream) {
  const PointerSet Streams = Where.resolve(Stream);
  return !Streams.empty() &&
         all_of(Streams, [](const Pointer &P) { return isTextStream(P.Base->Name.Type); });
}

/// pwrite: of the files that are memory of the process, the place is an address of its own.
bool Translator::writesByAddress(const CallBase &Call, const ApiRow &Row) {
  constexpr unsigned Place = 3;
  return Row.Name.starts_with("pwrite") && Call.arg_size() > Place &&
         any_of(Where.resolveAddress(Call.getArgOperand(Place)),
                [](const Pointer &P) { return P.Base->named(); });
}

void Translator::message(const CallBase &Call, const ApiRow &Row) {
  effects(Call, Row);
  if (writesByAddress(Call, Row))
    return unknown(Call);
  bool Sending = sends(Call, Row);
  bool ThroughFile = Row.What == Api::SendsFile || Row.What == Api::ReceivesFile;
  // Without a topology, what other nodes may see is not asked.
  if (tellsNothing(Call, Row) || (isOfStream(Row) && isText(Call.getArgOperand(0))) ||
      (!Stock.T.given() && !Stock.P.OpenWorld))
    return;
  NodeId Outside = Stock.outside();
  QueuePairId Pair = Stock.queuePair(In.Index, "messages", Outside);
  // Which message a call receives is certain between two nodes, outside loops. Otherwise what one sends may
  // or may not be what another receives: an object for each way at each end, and all may be the same.
  const bool Two =
      Stock.T.Nodes.size() == 2 && all_of(Stock.T.Nodes, [](const TopologyNode &N) { return N.Count == 1; });
  const bool Once = !ThroughFile && Two && Loops.getLoopDepth(Call.getParent()) == 0;
  const std::string Path = Once || ThroughFile ? "" : connectionOf(Call);
  const std::string Name = Path.empty() ? "messages" : (Sending ? MessagesTo : MessagesFrom) + Path;
  const std::string Which = Once ? "" : (Sending ? "sent/" : "received/") + std::to_string(In.Index);
  auto transfer = [&](OperationKind Kind) {
    Operation Op;
    Op.Kind = Kind;
    Op.Pair = Pair;
    Op.Local = {Stock.fresh(In.Home)};
    Op.Remote = {Stock.flag(Outside, Which, Name)};
    Stock.exposeRemotely(Op.Remote.Target);
    Stock.P.Objects[Op.Remote.Target].Unaliased = false;
    Stock.P.Objects[Op.Remote.Target].Anything = true;
    return Op;
  };
  Way W;
  if (Sending) {
    W.push_back(transfer(Put));
    W.back().Unsignaled = true;
  }
  W.push_back(transfer(Get));
  if (Sending) // it only waits for the WRITE
    W.back().Remote = {Stock.fresh(Outside)};
  Operation Done;
  Done.Kind = Wait;
  Done.Id = W.back().Id = Stock.workId(In.Entry + ":message" + std::to_string(Waits++));
  W.push_back(Done);
  // A FILE may keep it back, or have it already: then no call of the system is made.
  emit(ThroughFile ? Ways{W, {}} : Ways{W}, Call);
}

} // namespace rdma::clang_ir
