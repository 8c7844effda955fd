#include "rewriter/Plan.h"

namespace rdma {
namespace {

using enum OperationKind;

class Inserter {
public:
  explicit Inserter(Program P) : P(std::move(P)) {}

  void insert(const PlannedEdit &E) {
    const Statement Second = P.Threads[E.Why.Second.Thread].Statements[E.Why.Second.Statement];
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      for (StatementId S = 0, Last = P.Threads[T].Statements.size(); S < Last; ++S)
        if (sameSource(T, S, E, Second))
          insertBefore(T, S, E);
  }

  Program take() { return std::move(P); }

private:
  /// Statements that one place of the source stands for: in replicas, and in both ways of a split.
  bool sameSource(ThreadIndex T, StatementId S, const PlannedEdit &E, const Statement &Second) const {
    if (T == E.Why.Second.Thread && S == E.Why.Second.Statement)
      return true;
    const Statement &Here = P.Threads[T].Statements[S];
    return Second.Where.known() && Here.Where == Second.Where && Here.Op.Kind == Second.Op.Kind &&
           P.Threads[T].Name == P.Threads[E.Why.Second.Thread].Name;
  }

  void insertBefore(ThreadIndex T, StatementId S, const PlannedEdit &E) {
    Statement &Here = P.Threads[T].Statements[S];
    if (E.What == Remedy::RemoteFence) {
      Here.Op.Fenced = true;
      return;
    }
    Site Where = Here.Where;
    unsigned Depth = Here.LoopDepth;
    std::vector<Operation> Steps = steps(T, E);
    for (auto Step = Steps.rbegin(); Step != Steps.rend(); ++Step)
      S = link(T, S, {*Step, Where, {S}, Depth});
  }

  std::vector<Operation> steps(ThreadIndex T, const PlannedEdit &E) {
    if (E.What == Remedy::MemoryFence)
      return {{.Kind = MemoryFence}};
    QueuePairId Pair = pairOf(T, E);
    WorkId Id = P.WorkIds.size();
    P.WorkIds.push_back(P.Threads[T].Name + ":fix" + std::to_string(Id));
    Operation Request{.Kind = E.What == Remedy::Poll ? Put : Get,
                      .Local = fresh(P.Threads[T].Home),
                      .Remote = fresh(P.QueuePairs[Pair].Target),
                      .Pair = Pair,
                      .Id = Id};
    return {Request, {.Kind = Wait, .Id = Id}};
  }

  /// The queue pair of the same name in a replica.
  QueuePairId pairOf(ThreadIndex T, const PlannedEdit &E) const {
    QueuePairId Original = E.Why.First.Pair;
    const QueuePair &Pair = P.QueuePairs[Original];
    if (Pair.Owner == T)
      return Original;
    unsigned Index = 0, Seen = 0;
    for (QueuePairId Q = 0; Q < Original; ++Q)
      Index += P.QueuePairs[Q].Owner == Pair.Owner;
    for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q)
      if (P.QueuePairs[Q].Owner == T &&
          (Pair.Name.empty() ? Seen++ == Index : P.QueuePairs[Q].Name == Pair.Name))
        return Q;
    return Original;
  }

  Access fresh(NodeId Home) {
    P.Objects.push_back({.Name = "fence", .Home = Home, .Fresh = true});
    return {static_cast<ObjectId>(P.Objects.size() - 1)};
  }

  /// Everything that led to S leads to the new statement instead.
  StatementId link(ThreadIndex T, StatementId S, Statement New) {
    Thread &Body = P.Threads[T];
    StatementId Id = Body.Statements.size();
    for (Statement &Other : Body.Statements)
      for (StatementId &Next : Other.Successors)
        if (Next == S)
          Next = Id;
    if (Body.Entry == S)
      Body.Entry = Id;
    Body.Statements.push_back(std::move(New));
    return Id;
  }

  Program P;
};

} // namespace

Program applied(const Program &P, const std::vector<PlannedEdit> &Edits) {
  Inserter I(P);
  for (const PlannedEdit &E : Edits)
    I.insert(E);
  return I.take();
}

} // namespace rdma
