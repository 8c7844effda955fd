#include "analyzer/core/Favoured.h"

#include <set>

namespace rdma {

/// A new first statement, from which all these are next.
template <typename Ids> static void beginAt(Thread &T, const Ids &Begins) {
  T.Statements.push_back({});
  T.Statements.back().Successors.assign(Begins.begin(), Begins.end());
  T.Entry = T.Statements.size() - 1;
}

bool awaitsUnknown(const Program &P, const Statement &S) {
  const bool Reads = S.Op.Kind == OperationKind::Load || S.Op.Kind == OperationKind::Store;
  return Reads && S.Lost != None && !P.LostFacts[S.Lost].Looks;
}

Program waysEndingAt(const Program &P, ThreadIndex Thread, const std::vector<bool> &Ends) {
  Program Favoured = P;
  rdma::Thread &T = Favoured.Threads[Thread];
  std::set<StatementId> Begins{T.Entry};
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (Ends[S]) {
      Begins.insert(T.Statements[S].Successors.begin(), T.Statements[S].Successors.end());
      T.Statements[S].Successors.clear();
    }
  beginAt(T, Begins);
  return Favoured;
}

Program waitedFor(const Program &P, ThreadIndex Examined) {
  Program Favoured = P;
  for (ThreadIndex Index = 0; Index < P.Threads.size(); ++Index) {
    if (Index == Examined)
      continue;
    Thread &T = Favoured.Threads[Index];
    std::set<StatementId> Awaits;
    for (StatementId S = 0; S < T.Statements.size(); ++S)
      if (awaitsUnknown(P, T.Statements[S]))
        Awaits.insert(S);
    for (Statement &S : T.Statements)
      std::erase_if(S.Successors, [&](StatementId Next) { return Awaits.count(Next); });
    Awaits.insert(T.Entry);
    beginAt(T, Awaits);
  }
  return Favoured;
}

} // namespace rdma
