// What threads have taken when they are over, and who waits for that.
#include "analyzer/clang/counts/Invariants.h"
#include "analyzer/clang/counts/Sharing.h"
#include "analyzer/clang/translate/FailedCalls.h"

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Beyond this many instructions times cuts, a thread is too large to be counted; so many completions are
/// asked for.
constexpr std::size_t MostWork = 60'000;
constexpr std::int64_t MostAsked = 1 << 16;

} // namespace

/// Of the queue, when the thread is over: at least so many.
std::int64_t Sharing::leastTaken(const CountedThread &By, const std::string &Key) {
  auto [Known, New] = Least.try_emplace({&By, Key}, 0);
  if (!New)
    return Known->second;
  std::vector<QueueFacts> Queues;
  for (const PollSite &Poll : By.Polls)
    if (Poll.Cq && Poll.Cq->Key == Key && Queues.empty())
      Queues.push_back({Poll.Queue, false});
  std::set<const Instruction *> Ends;
  const std::vector<Statement> &All = P.Threads[By.Index].Statements;
  for (StatementId St = 0; St < All.size(); ++St)
    if (All[St].Op.Kind == OperationKind::Store && All[St].Op.Local.Target == By.Ended)
      Ends.insert(St < By.Sources.size() ? By.Sources[St] : nullptr);
  if (Queues.empty() || Ends.empty() ||
      any_of(Ends, [&](const Instruction *End) { return !End || End->getFunction() != &By.F; }))
    return 0;
  Cells Memory(By, writtenBeside(By));
  System Sys(By, Memory, Queues, P);
  if (Sys.cuts().size() * By.F.getInstructionCount() > MostWork)
    return 0;
  Invariants Proofs(Sys, Ends, Cost);
  if (!Proofs.find())
    return 0;
  auto mayTake = [&](std::int64_t Fewer) {
    return Proofs.possible([&](Region &R) -> std::optional<z3::expr> {
      z3::expr_vector Any(Sys.Context);
      for (const Instruction *End : Ends)
        if (const State *Now = R.before(End))
          Any.push_back(R.reaches(End->getParent()) && (*Now)[Sys.taken(0)] < Sys.Context.int_val(Fewer));
      return Any.empty() ? std::nullopt : std::optional(z3::mk_or(Any));
    });
  };
  std::int64_t Low = 0, High = 1;
  while (High <= MostAsked && !mayTake(High))
    Low = High, High *= 2;
  while (High - Low > 1 && High <= MostAsked)
    (mayTake((Low + High) / 2) ? High : Low) = (Low + High) / 2;
  // An end that seems never to be reached would have taken any number.
  return Least[{&By, Key}] = High <= MostAsked ? Low : 0;
}

std::vector<TakenByEnd> Sharing::endsFor(const CountedThread &T, const std::vector<QueueFacts> &Queues) {
  std::vector<TakenByEnd> All;
  for (const QueueFacts &Q : Queues) {
    if (!Q.Closed || Q.Elements)
      continue;
    const std::string &Key = Stock.keyOf(Q.Queue);
    std::map<const CallBase *, const CountedThread *> Over;
    for (const auto &[Call, Ended] : T.Joins)
      for (const CountedThread &By : Threads)
        if (By.Ended == Ended && &By != &T && By.Home == T.Home && leastTaken(By, Key) > 0)
          Over[Call] = &By;
    // Those that were waited for on every way there are over, too.
    for (const auto &[Call, By] : Over) {
      std::set<const CountedThread *> Each{By};
      TakenByEnd End{Call, Q.Queue, 0, {}};
      for (const auto &[Before, Other] : Over)
        if (Before == Call || T.Tree.dominates(Before, Call)) {
          Each.insert(Other);
          if (!waysWhereFailed(*Before).empty())
            End.IfZero.push_back(Before);
        }
      for (const CountedThread *One : Each)
        End.Least += leastTaken(*One, Key);
      All.push_back(End);
    }
  }
  return All;
}

} // namespace rdma::clang_ir
