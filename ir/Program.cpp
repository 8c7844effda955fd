#include "ir/Program.h"

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
