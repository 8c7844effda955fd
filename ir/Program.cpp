#include "ir/Program.h"

#include <numeric>

namespace rdma {

namespace {

bool meets(const Access &Bytes, const KinRange &Range) {
  return Bytes.Begin < Range.End && Range.Begin < Bytes.End;
}

/// May they be the same bytes of two elements?
bool mayMeet(const Access &A, const KinRange &InA, const Access &B, const KinRange &InB) {
  const std::int64_t Step = std::gcd(InA.Step, InB.Step);
  // An access may go on without end, so its length is not computed before.
  if (Step <= 1 || A.Begin < A.End - Step || B.Begin < B.End - Step)
    return true;
  const std::int64_t Apart = (B.Begin - InB.Begin) - (A.Begin - InA.Begin),
                     Ahead = (Apart % Step + Step) % Step;
  return Ahead < A.End - A.Begin || Step - Ahead < B.End - B.Begin;
}

} // namespace

bool mayBeKin(const Object &X, const Access &A, const Object &Y, const Access &B) {
  for (const KinRange &Mine : X.Kins)
    for (const KinRange &Other : Y.Kins)
      if (Mine.Number == Other.Number && !(Mine.Part && Other.Part) && meets(A, Mine) && meets(B, Other) &&
          mayMeet(A, Mine, B, Other))
        return true;
  return false;
}

bool mayOverlap(const Program &P, const Access &A, const Access &B) {
  const Object &X = P.Objects[A.Target], &Y = P.Objects[B.Target];
  if (X.Home != Y.Home)
    return false;
  if (A.Target == B.Target)
    return A.Begin < B.End && B.Begin < A.End;
  if (mayBeKin(X, A, Y, B))
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
