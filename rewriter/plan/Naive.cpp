// What it costs to trust in nothing: every request is waited for where it is posted, and a memory fence
// stands behind a store where neither such a wait nor anything else comes before a load.
#include "rewriter/plan/Plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rdma {
namespace {

using enum OperationKind;

/// Objects that more than one thread uses, or that may be such a one.
class Shared {
public:
  explicit Shared(const Program &P) : P(P), Users(P.Objects.size(), None), Several(P.Objects.size()) {
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      for (const Statement &S : P.Threads[T].Statements) {
        for (const Access *A : {&S.Op.Local, &S.Op.Remote, &S.Op.Result})
          add(T, *A);
        for (const Term &Each : S.Op.Value.value_or(Expression()))
          add(T, Each.Location);
      }
  }

  bool contains(const Access &A) const { return A.valid() && Several[A.Target]; }

private:
  void add(ThreadIndex T, const Access &A) {
    if (!A.valid())
      return;
    const Object &O = P.Objects[A.Target];
    ThreadIndex &First = Users[A.Target];
    First = First == None ? T : First;
    if (First != T || P.Threads[T].Many || O.Anything || O.RemoteAccess || !O.Kins.empty())
      Several[A.Target] = true;
  }

  const Program &P;
  std::vector<ThreadIndex> Users;
  std::vector<bool> Several;
};

/// A wait behind every request, one that flushes behind what writes remote memory.
double ofRequest(const Statement &S, const Costs &Prices) {
  return S.Op.Kind == Get ? Prices.Wait : Prices.Flush;
}

bool loads(const Operation &Op, const Shared &All) {
  const bool ReadsLocal = Op.Kind == Load || Op.Kind == Assume || (Op.Kind == Put && Op.Inline);
  const Expression Value = Op.Kind == Store ? Op.Value.value_or(Expression()) : Expression();
  return (ReadsLocal && All.contains(Op.Local)) ||
         std::any_of(Value.begin(), Value.end(), [&](const Term &T) { return All.contains(T.Location); });
}

bool stores(const Operation &Op, const Shared &All) {
  return (Op.Kind == Store && All.contains(Op.Local)) || (Op.Kind == LocalCas && All.contains(Op.Result));
}

/// What is stored before has reached memory behind it; also behind a request that is waited for.
bool drains(const Operation &Op) {
  return isRequest(Op.Kind) || Op.Kind == MemoryFence || Op.Kind == LocalCas || Op.Kind == LocalRmw;
}

/// Statements behind which a load of shared memory may come before anything that drains.
std::vector<char> beforeLoads(const Thread &T, const Shared &All) {
  const auto Previous = predecessors(T);
  std::vector<char> Found(T.Statements.size());
  std::vector<StatementId> Work;
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (loads(T.Statements[S].Op, All))
      Work.push_back(S);
  while (!Work.empty()) {
    const StatementId Loads = Work.back();
    Work.pop_back();
    for (StatementId From : Previous[Loads])
      if (!std::exchange(Found[From], 1) && !drains(T.Statements[From].Op))
        Work.push_back(From);
  }
  return Found;
}

} // namespace

double naiveCost(const Program &P, Model M, const Costs &Prices) {
  const Shared All(P);
  double Sum = 0;
  for (const Thread &T : P.Threads) {
    const std::vector<char> Loads = M == Model::RdmaTso ? beforeLoads(T, All) : std::vector<char>();
    for (StatementId S = 0; S < T.Statements.size(); ++S) {
      const Statement &Here = T.Statements[S];
      const bool Fences = !Loads.empty() && Loads[S] && stores(Here.Op, All);
      const double Price = isRequest(Here.Op.Kind) ? ofRequest(Here, Prices)
                           : Fences                ? Prices.MemoryFence
                                                   : 0;
      Sum += Price * std::pow(10, Here.LoopDepth);
    }
  }
  return Sum;
}

} // namespace rdma
