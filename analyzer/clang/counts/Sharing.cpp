#include "analyzer/clang/counts/Sharing.h"
#include "analyzer/clang/counts/Invariants.h"
#include "analyzer/clang/counts/SetBefore.h"
#include "analyzer/clang/counts/WordSteps.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/translate/WholeLocks.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

constexpr std::size_t MostWork = 60'000;

/// The one place that a load, an atomic change or a semaphore is at, and how many bytes of it there are.
struct Word {
  Pointer At;
  std::int64_t Size;
};
std::optional<Word> wordOf(const CountedThread &T, const Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *Modify = dyn_cast<AtomicRMWInst>(&I);
  const std::optional<WordStep> Step = wordStep(I);
  if (!Step && ((!Load && !Modify) || !I.getType()->isIntegerTy()))
    return std::nullopt;
  const std::int64_t Size =
      Step ? Step->Size : T.F.getParent()->getDataLayout().getTypeStoreSize(I.getType()).getFixedValue();
  PointerSet Places = T.Where.resolve(Step   ? Step->At
                                      : Load ? Load->getPointerOperand()
                                             : Modify->getPointerOperand());
  if (Size > 8 || Places.size() != 1 || !Places[0].exact() || !Places[0].Base->named())
    return std::nullopt;
  return Word{Places[0], Size};
}

bool isAt(const PointerSet &Places, const Pointer &At) {
  return Places.size() == 1 && Places[0].exact() && Places[0].Base == At.Base && Places[0].Low == At.Low;
}

bool acquires(const Instruction &I) {
  if (const std::optional<WordStep> Step = wordStep(I))
    return Step->Acquires;
  auto *Load = dyn_cast<LoadInst>(&I);
  return isAcquireOrStronger(Load ? Load->getOrdering() : cast<AtomicRMWInst>(I).getOrdering());
}

bool releases(const Instruction &I) {
  if (const std::optional<WordStep> Step = wordStep(I))
    return Step->Releases;
  auto *Store = dyn_cast<StoreInst>(&I);
  return isReleaseOrStronger(Store ? Store->getOrdering() : cast<AtomicRMWInst>(I).getOrdering());
}

/// What a store adds to what it has just found in the same place, with nothing in between, if it does.
std::optional<std::pair<const Value *, bool>> addedBy(const StoreInst &Store) {
  auto *Sum = dyn_cast<BinaryOperator>(Store.getValueOperand());
  if (!Sum || (Sum->getOpcode() != Instruction::Add && Sum->getOpcode() != Instruction::Sub))
    return std::nullopt;
  const bool Minus = Sum->getOpcode() == Instruction::Sub;
  for (unsigned Old : {0u, 1u}) {
    auto *Load = dyn_cast<LoadInst>(Sum->getOperand(Old));
    if (!Load || (Minus && Old == 1) || Load->getPointerOperand() != Store.getPointerOperand() ||
        Load->getParent() != Store.getParent())
      continue;
    bool Alone = true;
    for (const Instruction *I = Load->getNextNode(); I && I != &Store; I = I->getNextNode())
      Alone &= !I->mayWriteToMemory();
    if (Alone)
      return std::pair(Sum->getOperand(1 - Old), Minus);
  }
  return std::nullopt;
}

} // namespace

Cells::Foreign Sharing::writtenBeside(const CountedThread &T) {
  std::vector<Access> Foreign;
  for (ThreadIndex By = 0; By < P.Threads.size(); ++By)
    for (const Statement &St : P.Threads[By].Statements) {
      const Operation &Op = St.Op;
      // Another thread of the same kind writes what this one does.
      bool Beside = By != T.Index || P.Threads[T.Index].Many;
      if (Op.Local.valid() && ((isCpuWrite(Op.Kind) && Beside) || fetches(Op.Kind)))
        Foreign.push_back(Op.Local);
      if (Op.Remote.valid() && isRequest(Op.Kind) && Op.Kind != Get)
        Foreign.push_back(Op.Remote);
    }
  return [this, &T, Foreign](const Origin &Base, std::int64_t Low, std::int64_t High) {
    const Pointer Place{&Base, Low, Low, Low, {}};
    if (mayBeWrittenBeside(T, Place, High - Low))
      return true;
    Access A{Stock.object(T.Home, Base), Low, High};
    return std::any_of(Foreign.begin(), Foreign.end(), [&](const Access &W) {
      if (P.Objects[W.Target].Home != T.Home)
        return false;
      // No unnamed pointer leads to a thread's own variables but to those it was given.
      return P.Objects[W.Target].Anything ? Base.What != Origin::Kind::Stack : mayOverlap(P, A, W);
    });
  };
}

const std::set<Lock> &Sharing::heldAt(const CountedThread &T, const Instruction &I) {
  static const std::set<Lock> None;
  auto [Known, New] = Held.try_emplace(&T);
  if (New)
    Known->second = locksHeld(T);
  auto Found = Known->second.find(&I);
  return Found == Known->second.end() ? None : Found->second;
}

/// Does the lock keep all threads of the node apart?
bool Sharing::isWhole(NodeId Home, const Lock &L) {
  auto [Known, New] = Whole.try_emplace({Home, L}, false);
  if (!New)
    return Known->second;
  std::vector<const CountedThread *> Process;
  for (const CountedThread &T : Threads)
    if (T.Home == Home)
      Process.push_back(&T);
  // Before there is another thread it does not matter what a call does, if the lock is not held as one
  // starts.
  auto isAlone = [&](const CountedThread &T, const CallBase *Call) {
    return !T.Start && !T.Loops.getLoopFor(Call->getParent()) && all_of(Process, [&](const CountedThread *X) {
      return X == &T || (X->Start && (X->Start->getFunction() != &T.F ||
                                      (T.Tree.dominates(Call, X->Start) && !heldAt(T, *X->Start).count(L))));
    });
  };
  auto mayDoNothing = [&](const CountedThread *T) {
    return any_of(T->MayDoNothing, [&](const CallBase *Call) {
      const LockUse Use = lockUse(*Call);
      return (Use == LockUse::Takes || Use == LockUse::Tries) && lockOf(*Call, *T).value_or(L) == L &&
             !isAlone(*T, Call);
    });
  };
  return Known->second = none_of(Process, mayDoNothing) && WholeLocks(Stock, Process).isWhole(L);
}

/// What the instruction does to the word. Locked: nobody else can come between a load and a store.
std::optional<Sharing::Change> Sharing::changeAt(const Instruction *I, bool Locked) const {
  using enum Change::Kind;
  if (auto *Store = dyn_cast_or_null<StoreInst>(I)) {
    if (!Store->getValueOperand()->getType()->isIntegerTy())
      return std::nullopt;
    if (auto Added = Locked ? addedBy(*Store) : std::nullopt)
      return Change{I, Added->second ? Subtracts : Adds, Added->first};
    return Change{I, Stores, Store->getValueOperand()};
  }
  if (const std::optional<WordStep> Step = I ? wordStep(*I) : std::nullopt)
    return Change{I, Step->Minus ? Subtracts : Adds, Step->By};
  auto *Modify = dyn_cast_or_null<AtomicRMWInst>(I);
  if (!Modify || !Modify->getType()->isIntegerTy())
    return std::nullopt;
  switch (Modify->getOperation()) {
  case AtomicRMWInst::Add:
    return Change{I, Adds, Modify->getValOperand()};
  case AtomicRMWInst::Sub:
    return Change{I, Subtracts, Modify->getValOperand()};
  case AtomicRMWInst::Xchg:
    return Change{I, Stores, Modify->getValOperand()};
  default:
    return std::nullopt;
  }
}

/// Does the thread set the word, once and to this number, before it starts the other one?
std::optional<std::int64_t> Sharing::setTo(const CountedThread &By, const Instruction *I,
                                           const CountedThread &T, std::int64_t Size) {
  if (!I || !T.Start || T.Start->getFunction() != &By.F || By.Loops.getLoopFor(I->getParent()) ||
      !By.Tree.dominates(I, T.Start))
    return std::nullopt;
  auto *Store = dyn_cast<StoreInst>(I);
  auto *Number = dyn_cast_or_null<ConstantInt>(Store ? Store->getValueOperand() : semaphoreBegin(*I));
  return Number && Number->getBitWidth() == 8 * Size ? std::optional(Number->getSExtValue()) : std::nullopt;
}

/// Who else changes the word, and how. None when anything but additions or stores of a thread may do so, or
/// when what came before them is not known where they are seen.
std::optional<Sharing::Changes> Sharing::changes(const CountedThread &T, const Pointer &At,
                                                 std::int64_t Size) {
  using enum Change::Kind;
  if (P.Threads[T.Index].Many)
    return std::nullopt;
  Access Word{Stock.object(T.Home, *At.Base), At.Low, At.Low + Size};
  auto meets = [&](const Access &W) {
    return W.valid() && P.Objects[W.Target].Home == T.Home &&
           (P.Objects[W.Target].Anything || mayOverlap(P, Word, W));
  };
  Changes All;
  std::set<const Function *> Seen{&T.F};
  bool Adding = false, First = true;
  for (const CountedThread &By : Threads) {
    Writer W{&By, {}};
    for (StatementId St = 0; St < P.Threads[By.Index].Statements.size(); ++St) {
      const Operation &Op = P.Threads[By.Index].Statements[St].Op;
      if ((isRequest(Op.Kind) && Op.Kind != Get && meets(Op.Remote)) || (fetches(Op.Kind) && meets(Op.Local)))
        return std::nullopt;
      if (!isCpuWrite(Op.Kind) || !meets(Op.Local) || By.Index == T.Index || By.Home != T.Home)
        continue;
      const Instruction *I = St < By.Sources.size() ? By.Sources[St] : nullptr;
      if ((I && I == All.SetAt) || any_of(W.All, [&](const Change &C) { return C.At == I; }))
        continue;
      const bool IsHere = I && isAt(By.Where.resolve(I->getOperand(isa<StoreInst>(I) ? 1 : 0)), At);
      if (IsHere && !All.Initial && (All.Initial = setTo(By, I, T, Size))) {
        All.SetBy = &By, All.SetAt = I;
        Seen.insert(&By.F);
        continue;
      }
      std::set<Lock> Locks;
      if (I)
        copy_if(heldAt(By, *I), std::inserter(Locks, Locks.end()),
                [&](const Lock &L) { return isWhole(T.Home, L); });
      std::optional<Change> Found = changeAt(I, !Locks.empty());
      if (!Found)
        return std::nullopt;
      if (!IsHere || By.F.getParent()->getDataLayout().getTypeStoreSize(Found->By->getType()) !=
                         TypeSize::getFixed(Size))
        return std::nullopt;
      All.Released &= releases(*I);
      std::erase_if(All.Locks, [&](const Lock &L) { return !Locks.count(L); });
      if (std::exchange(First, false))
        All.Locks = std::move(Locks);
      Adding |= !isa<StoreInst>(I) && Found->What != Stores;
      All.Stored |= Found->What == Stores;
      W.All.push_back(*Found);
    }
    if (!W.All.empty())
      Seen.insert(&By.F), All.Others.push_back(std::move(W));
  }
  for (const Function *F : T.Where.writers(At, Size))
    if (!Seen.count(F))
      return std::nullopt;
  if (All.Initial && any_of(All.Others, [&](const Writer &W) {
        return !setTo(*All.SetBy, All.SetAt, *W.By, Size) || !W.By->Once;
      }))
    return std::nullopt;
  // What adds under a lock stores, too.
  if ((All.Stored && Adding) || (!All.Released && All.Locks.empty()))
    return std::nullopt;
  for (Writer &W : All.Others)
    for (Change &C : W.All)
      if (auto *Store = dyn_cast<StoreInst>(C.At); Store && (All.Stored || All.Locks.empty()))
        C = {Store, Stores, Store->getValueOperand()}, All.Stored = true;
  return All;
}

/// At each of its changes, what the thread has added, or taken away, or what it stores, is no more than what
/// it has taken from the queue. Sign 0: it has stored no more often than that.
bool Sharing::says(Invariants &Proofs, System &Sys, const Writer &W, const SharedCounter &Counter, int Cell,
                   int Sign) {
  return !Proofs.possible([&](Region &R) -> std::optional<z3::expr> {
    z3::expr_vector Any(Sys.Context);
    for (const Change &C : W.All)
      if (const State *Now = R.before(C.At)) {
        z3::expr By = R.value(C.By), Was = (*Now)[Sys.cell(Cell)];
        z3::expr Becomes = Sign == 0                        ? Was + 1
                           : C.What == Change::Kind::Stores ? By - Sys.Context.int_val(Counter.From)
                           : C.What == Change::Kind::Adds   ? Was + By
                                                            : Was - By;
        z3::expr Told = Sign < 0 ? -Becomes : Becomes;
        Any.push_back(R.reaches(C.At->getParent()) && !(Told >= 0 && Told <= (*Now)[Sys.taken(0)]));
      }
    return Any.empty() ? std::nullopt : std::optional(z3::mk_or(Any));
  });
}

Sharing::Claim Sharing::claimOf(const Writer &W, const SharedCounter &Counter, const std::string &Key) {
  auto [Known, New] = Claims.try_emplace({W.By, Counter.Base, Counter.Low, Key});
  if (!New)
    return Known->second;
  const CountedThread &By = *W.By;
  std::vector<QueueFacts> Queues;
  for (const PollSite &Poll : By.Polls)
    if (Poll.Cq && Poll.Cq->Key == Key && Queues.empty())
      Queues.push_back({Poll.Queue, false});
  if (Queues.empty())
    return {};
  SharedCounter Own = Counter;
  Own.Own = true, Own.Initial = 0;
  Own.Reads.clear(), Own.Adds.clear();
  for (const Change &C : W.All)
    if ((isa<StoreInst>(C.At) || wordStep(*C.At)) && C.What != Change::Kind::Stores)
      Own.Adds[C.At] = {C.By, C.What == Change::Kind::Subtracts};
  Cells Memory(By, writtenBeside(By), {Own});
  int Cell = Memory.at({{Counter.Base, Counter.Low, Counter.Low, Counter.Low, {}}}, Counter.Size);
  System Sys(By, Memory, Queues, P);
  if (Cell < 0 || Sys.cuts().size() * By.F.getInstructionCount() > MostWork)
    return {};
  std::set<const Instruction *> Watched;
  for (const Change &C : W.All)
    Watched.insert(C.At);
  Invariants Proofs(Sys, Watched, Cost);
  if (!Proofs.find())
    return {};
  Claim Found;
  for (int Sign : {1, -1})
    if (!Found.Sign && says(Proofs, Sys, W, Counter, Cell, Sign))
      Found.Sign = Sign;
  Found.Each = Counter.Stored && says(Proofs, Sys, W, Counter, Cell, 0);
  return Claims[{W.By, Counter.Base, Counter.Low, Key}] = Found;
}

/// What a thread that is run once finds there first: what it is set to before the thread is started, or what
/// the variable is initialised with.
std::optional<std::int64_t> Sharing::initialOf(const CountedThread &T, const Pointer &At, std::int64_t Size,
                                               const Changes &By) {
  if (By.Initial)
    return T.Once ? By.Initial : std::nullopt;
  auto *Global = dyn_cast_or_null<GlobalVariable>(At.Base->Root);
  // Another file may set what it can name first.
  if (!Global || (!Global->hasLocalLinkage() && !hasMain(*Global)) || !Global->hasDefinitiveInitializer() ||
      !T.Once || At.Base->Shown || T.Where.knownOutside(At) ||
      any_of(By.Others, [](const Writer &W) { return !W.By->Once; }))
    return std::nullopt;
  Type *Bits = Type::getIntNTy(T.F.getContext(), Size * 8);
  auto *Number = dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(
      const_cast<Constant *>(Global->getInitializer()), Bits, APInt(64, At.Low), Global->getDataLayout()));
  return Number ? std::optional(Number->getSExtValue()) : std::nullopt;
}

/// Where the thread reads the word, and knows what came before; and what it adds itself.
void Sharing::findReads(const CountedThread &T, const Pointer &At, const Changes &By,
                        SharedCounter &Counter) {
  auto isLocked = [&](const Instruction &I) {
    return any_of(heldAt(T, I), [&](const Lock &L) { return By.Locks.count(L) != 0; });
  };
  for (const Instruction &I : instructions(T.F)) {
    if (std::optional<Word> Read = wordOf(T, I)) {
      if (!isAt({Read->At}, At) || Read->Size != Counter.Size)
        continue;
      if ((By.Released && acquires(I)) || isLocked(I))
        Counter.Reads.insert(&I);
      if (const std::optional<WordStep> Step = wordStep(I); Step && !By.Stored)
        Counter.Adds[&I] = {Step->By, Step->Minus};
    } else if (auto *Store = dyn_cast<StoreInst>(&I); Store && !By.Stored && isLocked(I)) {
      if (auto Added = addedBy(*Store); Added && isAt(T.Where.resolve(Store->getPointerOperand()), At))
        Counter.Adds[&I] = *Added;
    }
  }
  // What it adds without the lock may come between a load and a store of the others, and be lost.
  const bool InTwo = any_of(By.Others, [](const Writer &W) {
    return any_of(W.All, [](const Change &C) { return isa<StoreInst>(C.At); });
  });
  for (const Instruction &I : instructions(T.F))
    if (auto *Modify = dyn_cast<AtomicRMWInst>(&I);
        Modify && InTwo && !By.Stored && !isLocked(I) &&
        any_of(T.Where.resolve(Modify->getPointerOperand()),
               [&](const Pointer &To) { return To.Base == At.Base || !To.Base->named(); }))
      Counter.Reads.clear();
}

std::vector<SharedCounter> Sharing::readBy(const CountedThread &T, const std::vector<QueueFacts> &Queues) {
  std::vector<SharedCounter> All;
  std::set<std::tuple<const Origin *, std::int64_t, std::int64_t>> Asked;
  for (const Instruction &I : instructions(T.F)) {
    const std::optional<Word> Found = wordOf(T, I);
    if (!Found || (!acquires(I) && heldAt(T, I).empty()))
      continue;
    const auto &[At, Size] = *Found;
    if (!Asked.insert({At.Base, At.Low, Size}).second)
      continue;
    const std::optional<Changes> By = changes(T, At, Size);
    if (!By || By->Others.empty())
      continue;
    SharedCounter Counter{At.Base, At.Low, Size};
    Counter.Stored = By->Stored;
    findReads(T, At, *By, Counter);
    if (Counter.Reads.empty())
      continue;
    for (const Writer &W : By->Others)
      Counter.Starts.push_back(W.By->Start);
    if (std::find(Counter.Starts.begin(), Counter.Starts.end(), nullptr) != Counter.Starts.end())
      Counter.Starts.clear();
    Counter.Initial = initialOf(T, At, Size, *By);
    Counter.From = Counter.Initial.value_or(0);
    for (const QueueFacts &Q : Queues) {
      unsigned Up = 0, Down = 0, Each = 0;
      for (const Writer &W : By->Others)
        if (Q.Closed) {
          const Claim Says = claimOf(W, Counter, Stock.keyOf(Q.Queue));
          Up += Says.Sign == 1, Down += Says.Sign == -1, Each += Says.Each;
        }
      Counter.ByValue = std::max(Up, Down) == By->Others.size();
      Counter.Each = Each == By->Others.size();
      if (!Counter.ByValue && !Counter.Each)
        continue;
      Counter.Queue = Q.Queue, Counter.Down = Down > Up;
      Counter.Grows = !Counter.Stored && all_of(By->Others, [&](const Writer &W) {
        return all_of(W.All, [&](const Change &C) {
          auto *Number = dyn_cast<ConstantInt>(C.By);
          return Number && !Number->isNegative() &&
                 C.What == (Counter.Down ? Change::Kind::Subtracts : Change::Kind::Adds);
        });
      });
      All.push_back(Counter);
      break;
    }
  }
  return All;
}

} // namespace rdma::clang_ir
