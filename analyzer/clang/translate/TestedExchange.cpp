#include "analyzer/clang/translate/TestedExchange.h"
#include "analyzer/clang/translate/Tested.h"
#include "ir/SubEvents.h"

#include <algorithm>
#include <map>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

std::optional<TestedExchange> testedExchange(const AtomicRMWInst &Exchange) {
  if (Exchange.getOperation() != AtomicRMWInst::Xchg)
    return std::nullopt;
  const BasicBlock &Block = *Exchange.getParent();
  if (const auto End = testedNumberAtEnd(Block);
      End && End->What == &Exchange && End->With->getBitWidth() <= 64)
    return TestedExchange{End->With->getSExtValue(), End->OnEqual};
  // A bool's lowest bit is all of it.
  auto *Lowest = dyn_cast_or_null<TruncInst>(testedAtEnd(Block));
  auto *Set = dyn_cast<ConstantInt>(Exchange.getValOperand());
  if (!Lowest || Lowest->getOperand(0) != &Exchange || !Set || !Set->isOne())
    return std::nullopt;
  return TestedExchange{0, 1};
}

namespace {

/// The value that the CPU writes, where it is known.
std::optional<std::int64_t> written(const Operation &Op) {
  return constantOf(Op.Kind == LocalCas ? Op.Desired : Op.Value);
}

/// Does this word never have but these two values?
bool hasOnly(const Program &P, const Access &Word, std::int64_t A, std::int64_t B) {
  auto isOne = [&](std::optional<std::int64_t> Value) { return Value == A || Value == B; };
  const Object &Holder = P.Objects[Word.Target];
  if (Word.Somewhere || Holder.Several || Holder.RemoteAccess || !isOne(Holder.Initial))
    return false;
  auto keeps = [&](const Statement &S) {
    const std::vector<SubEvents> Ways = expand(S.Op);
    const bool Writes = std::any_of(Ways.begin(), Ways.end(), [&](const SubEvents &Way) {
      return std::any_of(Way.begin(), Way.end(), [&](const SubEvent &E) {
        return writes(E.Kind) && mayOverlap(P, E.Location, Word) &&
               !(isCpuWrite(S.Op.Kind) && S.Op.Local == Word && E.Location == Word && isOne(written(S.Op)));
      });
    });
    return !Writes;
  };
  return std::all_of(P.Threads.begin(), P.Threads.end(), [&](const Thread &T) {
    return std::all_of(T.Statements.begin(), T.Statements.end(), keeps);
  });
}

} // namespace

void compareTested(Program &P, const std::deque<CountedThread> &Threads) {
  using enum Operation::Outcome;
  std::vector<std::pair<Operation *, std::int64_t>> Compared;
  for (const CountedThread &T : Threads) {
    std::vector<Statement> &All = P.Threads[T.Index].Statements;
    for (StatementId S = 0; S < All.size() && S < T.Sources.size(); ++S) {
      Operation &Op = All[S].Op;
      if (Op.Kind != LocalRmw || Op.Success == Either)
        continue;
      const std::int64_t Number = testedExchange(*cast<AtomicRMWInst>(T.Sources[S]))->Number;
      const std::optional<std::int64_t> To = written(Op);
      // Who tests for the value that it sets has changed the word where it finds the other.
      const bool FindsOwn = To == Number;
      const std::int64_t From = FindsOwn ? P.Objects[Op.Local.Target].Initial : Number;
      if (!To || From == *To || !hasOnly(P, Op.Local, From, *To)) {
        Op.Success = Either;
        continue;
      }
      if (FindsOwn)
        Op.Success = Op.Success == Fails ? Succeeds : Fails;
      Compared.emplace_back(&Op, From);
    }
  }
  for (auto &[Op, From] : Compared) { // each was asked of the program as it was
    Op->Kind = LocalCas;
    Op->Desired = std::exchange(Op->Value, Expression{Term{1, true, From, {}}});
  }
}

} // namespace rdma::clang_ir
