#include "ir/Program.h"

#include "ir/SubEvents.h"

#include <algorithm>

namespace rdma {

bool mayOverlap(const Program &P, const Access &A, const Access &B) {
  const Object &X = P.Objects[A.Target], &Y = P.Objects[B.Target];
  if (X.Home != Y.Home)
    return false;
  if (A.Target == B.Target)
    return A.Begin < B.End && B.Begin < A.End;
  if (X.Kin && X.Kin == Y.Kin)
    return true;
  auto Reachable = [](const Object &O) { return !O.Fresh && !O.Unaliased; };
  return (X.Anything && Reachable(Y)) || (Y.Anything && Reachable(X));
}

bool sameBytes(const Program &P, const Access &A, const Access &B) {
  return A == B && !P.Objects[A.Target].Anything;
}

std::string describe(const Program &P, const Access &A) {
  const Object &O = P.Objects[A.Target];
  const Field *Best = nullptr;
  for (const Field &F : O.Fields)
    if (F.Begin <= A.Begin && A.End <= F.End && (!Best || F.End - F.Begin < Best->End - Best->Begin))
      Best = &F;
  if (Best)
    return Best->Name;
  if (A.Begin == 0 || O.Anything)
    return O.Name;
  return O.Name + "+" + std::to_string(A.Begin);
}

std::vector<std::vector<StatementId>> predecessors(const Thread &T) {
  std::vector<std::vector<StatementId>> Result(T.Statements.size());
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    for (StatementId Next : T.Statements[S].Successors)
      Result[Next].push_back(S);
  return Result;
}

namespace {

/// Objects that one thread touches.
std::vector<bool> touchedBy(const Program &P, const Thread &T) {
  std::vector<bool> Touched(P.Objects.size());
  for (const Statement &S : T.Statements)
    for (const SubEvents &Way : expand(S.Op))
      for (const SubEvent &E : Way)
        if (E.Location.valid())
          Touched[E.Location.Target] = true;
  return Touched;
}

} // namespace

std::vector<bool> publicObjects(const Program &P) {
  std::vector<unsigned> Threads(P.Objects.size());
  for (const Thread &T : P.Threads) {
    std::vector<bool> Touched = touchedBy(P, T);
    // What may be anything is everything of its node.
    for (ObjectId Any = 0; Any < P.Objects.size(); ++Any)
      if (Touched[Any] && (P.Objects[Any].Anything || P.Objects[Any].Kin))
        for (ObjectId O = 0; O < P.Objects.size(); ++O)
          if (mayOverlap(P, {Any}, {O}))
            Touched[O] = true;
    for (ObjectId O = 0; O < P.Objects.size(); ++O)
      if (Touched[O])
        Threads[O] += T.Many ? 2 : 1;
  }
  std::vector<bool> Public(P.Objects.size());
  for (ObjectId O = 0; O < P.Objects.size(); ++O)
    Public[O] = Threads[O] > 1 || (P.OpenWorld && P.Objects[O].RemoteAccess);
  return Public;
}

std::optional<std::int64_t> constantOf(const std::optional<Expression> &Value) {
  if (!Value)
    return std::nullopt;
  std::int64_t Sum = 0;
  for (const Term &T : *Value) {
    if (!T.IsConstant)
      return std::nullopt;
    Sum += T.Sign * T.Constant;
  }
  return Sum;
}

StatementId Thread::insertBehind(StatementId S, Operation Op, const Site &Where) {
  const StatementId Next = Statements.size();
  Statement New{std::move(Op), Where, {Next}, Statements[S].LoopDepth};
  New.Successors.swap(Statements[S].Successors);
  Statements.push_back(std::move(New));
  return Next;
}

} // namespace rdma
