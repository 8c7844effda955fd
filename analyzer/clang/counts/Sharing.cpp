#include "analyzer/clang/counts/Sharing.h"
#include "analyzer/clang/counts/Invariants.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

constexpr std::size_t MostWork = 60'000;

/// The one place that an atomic load or change with an acquire is at.
std::optional<Pointer> acquired(const CountedThread &T, const Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *Modify = dyn_cast<AtomicRMWInst>(&I);
  bool Acquires = Load     ? isAcquireOrStronger(Load->getOrdering())
                  : Modify ? isAcquireOrStronger(Modify->getOrdering())
                           : false;
  if (!Acquires || !I.getType()->isIntegerTy() || I.getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  PointerSet Places = T.Where.resolve(Load ? Load->getPointerOperand() : Modify->getPointerOperand());
  if (Places.size() != 1 || !Places[0].exact() || !Places[0].Base->named())
    return std::nullopt;
  return Places[0];
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
    if (T.Where.writtenElsewhere({&Base, Low, Low, Low, {}}, High - Low))
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

/// Who else changes the counter. None when anything but a thread's addition or subtraction may do so.
std::optional<std::vector<Sharing::Writer>> Sharing::writers(const CountedThread &T, const Pointer &At,
                                                             std::int64_t Size) {
  Access Counter{Stock.object(T.Home, *At.Base), At.Low, At.Low + Size};
  auto meets = [&](const Access &W) {
    return W.valid() && P.Objects[W.Target].Home == T.Home &&
           (P.Objects[W.Target].Anything || mayOverlap(P, Counter, W));
  };
  std::vector<Writer> All;
  std::set<const Function *> Seen{&T.F};
  for (const CountedThread &By : Threads) {
    Writer W{&By, {}};
    for (StatementId St = 0; St < P.Threads[By.Index].Statements.size(); ++St) {
      const Operation &Op = P.Threads[By.Index].Statements[St].Op;
      if ((isRequest(Op.Kind) && Op.Kind != Get && meets(Op.Remote)) || (fetches(Op.Kind) && meets(Op.Local)))
        return std::nullopt;
      if (!isCpuWrite(Op.Kind) || !meets(Op.Local) || By.Index == T.Index || By.Home != T.Home)
        continue;
      auto *Adds = St < By.Sources.size() ? dyn_cast_or_null<AtomicRMWInst>(By.Sources[St]) : nullptr;
      if (!Adds || !isReleaseOrStronger(Adds->getOrdering()) ||
          (Adds->getOperation() != AtomicRMWInst::Add && Adds->getOperation() != AtomicRMWInst::Sub))
        return std::nullopt;
      PointerSet To = By.Where.resolve(Adds->getPointerOperand());
      if (To.size() != 1 || !To[0].exact() || To[0].Base != At.Base || To[0].Low != At.Low ||
          By.F.getParent()->getDataLayout().getTypeStoreSize(Adds->getType()) != TypeSize::getFixed(Size))
        return std::nullopt;
      if (std::find(W.All.begin(), W.All.end(), Adds) == W.All.end())
        W.All.push_back(Adds);
    }
    if (!W.All.empty())
      Seen.insert(&By.F), All.push_back(std::move(W));
  }
  for (const Function *F : T.Where.writers(At, Size))
    if (!Seen.count(F))
      return std::nullopt;
  if (P.Threads[T.Index].Many)
    return std::nullopt;
  return All;
}

/// 1 or -1 when at each of its changes what the thread has added, or taken away, is no more than what it has
/// taken from the queue.
std::optional<int> Sharing::direction(const Writer &W, const SharedCounter &Counter, const std::string &Key) {
  auto [Known, New] = Directions.try_emplace({W.By, Counter.Base, Counter.Low, Key}, std::nullopt);
  if (!New)
    return Known->second;
  const CountedThread &By = *W.By;
  std::vector<QueueFacts> Queues;
  for (const PollSite &Poll : By.Polls)
    if (Poll.Cq && Poll.Cq->Key == Key && Queues.empty())
      Queues.push_back({Poll.Queue, false});
  if (Queues.empty())
    return std::nullopt;
  SharedCounter Own = Counter;
  Own.Own = true, Own.Initial = 0;
  Cells Memory(By, writtenBeside(By), {Own});
  int Cell = Memory.at({{Counter.Base, Counter.Low, Counter.Low, Counter.Low, {}}}, Counter.Size);
  System Sys(By, Memory, Queues, P);
  if (Cell < 0 || Sys.cuts().size() * By.F.getInstructionCount() > MostWork)
    return std::nullopt;
  std::set<const Instruction *> Watched(W.All.begin(), W.All.end());
  Invariants Proofs(Sys, Watched, Until);
  if (!Proofs.find())
    return std::nullopt;
  for (int Sign : {1, -1}) {
    bool Breaks = Proofs.possible([&](Region &R) -> std::optional<z3::expr> {
      z3::expr_vector Any(Sys.Context);
      for (const AtomicRMWInst *Change : W.All)
        if (const State *Now = R.before(Change)) {
          z3::expr By = R.value(Change->getValOperand());
          z3::expr Sum = (*Now)[Sys.cell(Cell)] + (Change->getOperation() == AtomicRMWInst::Add ? By : -By);
          z3::expr Added = Sign > 0 ? Sum : -Sum;
          Any.push_back(R.reaches(Change->getParent()) && !(Added >= 0 && Added <= (*Now)[Sys.taken(0)]));
        }
      return Any.empty() ? std::nullopt : std::optional(z3::mk_or(Any));
    });
    if (!Breaks)
      return Directions[{W.By, Counter.Base, Counter.Low, Key}] = Sign;
  }
  return std::nullopt;
}

/// Does a thread that is run once find what the variable is initialised with?
bool Sharing::beginsAtInitial(const CountedThread &T, const Pointer &At, const std::vector<Writer> &Others) {
  auto *Global = dyn_cast_or_null<GlobalVariable>(At.Base->Root);
  if (!Global || !Global->hasDefinitiveInitializer() || !T.Once || T.Where.knownOutside(At))
    return false;
  return std::all_of(Others.begin(), Others.end(), [](const Writer &W) { return W.By->Once; });
}

std::vector<SharedCounter> Sharing::readBy(const CountedThread &T, const std::vector<QueueFacts> &Queues) {
  std::vector<SharedCounter> All;
  std::set<std::tuple<const Origin *, std::int64_t, std::int64_t>> Asked;
  const DataLayout &Layout = T.F.getParent()->getDataLayout();
  for (const Instruction &I : instructions(T.F)) {
    std::optional<Pointer> At = acquired(T, I);
    if (!At)
      continue;
    std::int64_t Size = Layout.getTypeStoreSize(I.getType());
    if (!Asked.insert({At->Base, At->Low, Size}).second)
      continue;
    std::optional<std::vector<Writer>> Others = writers(T, *At, Size);
    if (!Others || Others->empty())
      continue;
    SharedCounter Counter{At->Base, At->Low, Size};
    for (const Writer &W : *Others)
      Counter.Starts.push_back(W.By->Start);
    if (std::find(Counter.Starts.begin(), Counter.Starts.end(), nullptr) != Counter.Starts.end())
      Counter.Starts.clear();
    if (beginsAtInitial(T, *At, *Others)) {
      auto *Global = const_cast<GlobalVariable *>(cast<GlobalVariable>(At->Base->Root));
      Type *Bits = Type::getIntNTy(T.F.getContext(), Size * 8);
      if (auto *Number = dyn_cast_or_null<ConstantInt>(
              ConstantFoldLoadFromConst(Global->getInitializer(), Bits, APInt(64, At->Low), Layout)))
        Counter.Initial = Number->getSExtValue();
    }
    for (const QueueFacts &Q : Queues) {
      int Up = 0, Down = 0;
      for (const Writer &W : *Others)
        if (std::optional<int> Sign = Q.Closed ? direction(W, Counter, Stock.keyOf(Q.Queue)) : std::nullopt)
          ++(*Sign > 0 ? Up : Down);
      if (std::max(Up, Down) != static_cast<int>(Others->size()))
        continue;
      Counter.Queue = Q.Queue, Counter.Down = Down > 0;
      All.push_back(Counter);
      break;
    }
  }
  return All;
}

} // namespace rdma::clang_ir
