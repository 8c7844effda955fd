#include "analyzer/explorer/Compiled.h"
#include "ir/SubEvents.h"

#include <algorithm>
#include <functional>
#include <set>

namespace rdma::explorer {

using enum OperationKind;

namespace {

std::string placed(const Site &Where, const std::string &Message) {
  if (!Where.known())
    return Message;
  const Place &P = Where.Chain.front();
  return P.File + ":" + std::to_string(P.Line) + ":" + std::to_string(P.Column) + ": error: " + Message;
}

void requireWhole(const Access &A, const Site &Where) {
  if (A.valid() && !A.whole())
    throw Unsupported(Where, "part of an object: write the program as litmus text first");
}

void addOperand(CompiledStatement &S, const std::optional<Expression> &E, bool Desired) {
  if (!E)
    throw Unsupported(S.Where, "a value that is not known: write the program as litmus text first");
  for (const Term &T : *E) {
    if (T.IsConstant) {
      (Desired ? S.Desired : S.Value) += T.Sign * T.Constant;
      continue;
    }
    requireWhole(T.Location, S.Where);
    S.Reads.push_back({T.Location.Target, T.Sign, Desired});
  }
}

bool isRemoteOperation(OperationKind K) { return isRequest(K) || K == RemoteFence; }

CompiledStatement compileStatement(const Statement &All) {
  // What is deregistered stays in memory.
  Statement In = All.Op.Deregisters ? Statement{.Op = {}, .Where = All.Where} : All;
  if (In.Op.Receives) // what arrives is written by another thread
    In.Op.Local = In.Op.Remote;
  CompiledStatement S{.Op = In.Op, .Where = In.Where, .Reads = {}, .Next = {}, .From = {}};
  for (const Access *A : {&In.Op.Local, &In.Op.Remote, &In.Op.Result})
    requireWhole(*A, In.Where);
  switch (In.Op.Kind) {
  case Store:
  case RemoteFaa:
    addOperand(S, In.Op.Value, false);
    break;
  case LocalCas:
  case RemoteCas:
    if (!exchanges(In.Op))
      addOperand(S, In.Op.Value, false);
    addOperand(S, In.Op.Desired, true);
    break;
  case Put:
    if (In.Op.Inline)
      S.Reads.push_back({In.Op.Local.Target, 1, false});
    break;
  case LocalRmw:
    throw Unsupported(In.Where, "a read-modify-write of unknown effect");
  default:
    break;
  }
  switch (In.Op.Kind) {
  case Nop:
    S.OwnSteps = 0;
    break;
  case LocalCas:
    S.OwnSteps = In.Op.Result.valid() ? 2 : 1;
    break;
  case Put:
  case Get:
  case RemoteCas:
  case RemoteFaa:
    S.OwnSteps = 2; // the second one only under sequential consistency
    break;
  case Poll:
    S.OwnSteps = std::max(1u, In.Op.Count);
    break;
  default:
    break;
  }
  return S;
}

/// What the statement's own steps access, all of it counted at the first.
Footprint ownFootprint(const Operation &Op) {
  Footprint F;
  switch (Op.Kind) {
  case Load:
  case Assume:
    F.read(Op.Local.Target);
    break;
  case Store:
    F.write(Op.Local.Target);
    break;
  case LocalCas:
    F.read(Op.Local.Target);
    F.write(Op.Local.Target);
    if (Op.Result.valid())
      F.write(Op.Result.Target);
    break;
  case Put:
    if (!Op.Inline)
      F.read(Op.Local.Target);
    F.write(Op.Remote.Target);
    break;
  case Get:
    F.read(Op.Remote.Target);
    F.write(Op.Local.Target);
    break;
  case RemoteCas:
  case RemoteFaa:
    F.read(Op.Remote.Target);
    F.write(Op.Remote.Target);
    F.write(Op.Local.Target);
    break;
  default:
    break;
  }
  return F;
}

/// The second step of statements that have two: a CPU compare-and-swap's result; under sequential consistency
/// the write of a remote operation.
Footprint secondFootprint(const Operation &Op) {
  Footprint F;
  if (Op.Kind == LocalCas && Op.Result.valid())
    F.write(Op.Result.Target);
  if (Op.Kind == Put)
    F.write(Op.Remote.Target);
  if (fetches(Op.Kind))
    F.write(Op.Local.Target);
  return F;
}

/// Footprints by phase, given what comes after the statement.
std::vector<Footprint> byPhase(const CompiledStatement &S, const Footprint &After) {
  std::vector<Footprint> From(S.phases() + 1);
  From.back() = After;
  for (unsigned I = S.phases(); I-- > 0;) {
    if (I < S.Reads.size()) {
      From[I].read(S.Reads[I].Location);
      From[I].then(From[I + 1]);
    } else {
      From[I] = I == S.Reads.size() ? ownFootprint(S.Op) : secondFootprint(S.Op);
      From[I].then(After);
    }
  }
  return From;
}

Footprint afterStatement(const CompiledThread &T, const CompiledStatement &S) {
  Footprint After;
  for (unsigned N : S.Next)
    if (N != Exit)
      After.either(T.Statements[N].From.front());
  return After;
}

/// Footprints only grow, so the fixpoint exists also around loops.
void computeFutures(CompiledThread &T) {
  for (CompiledStatement &S : T.Statements)
    S.From.assign(S.phases() + 1, {});
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned I = T.Statements.size(); I-- > 0;) {
      CompiledStatement &S = T.Statements[I];
      std::uint64_t Puts = S.Op.Kind == Put && !S.Op.Inline ? Footprint::bit(S.Op.Pair) : 0;
      for (unsigned N : S.Next)
        if (N != Exit)
          Puts |= T.Statements[N].FuturePuts;
      std::vector<Footprint> From = byPhase(S, afterStatement(T, S));
      Changed |= Puts != S.FuturePuts || From != S.From;
      S.FuturePuts = Puts;
      S.From = std::move(From);
    }
  }
}

std::vector<bool> canEnd(const Thread &T) {
  std::vector<bool> Can(T.Statements.size());
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned I = T.Statements.size(); I-- > 0;) {
      const auto &Next = T.Statements[I].Successors;
      bool Ends =
          Next.empty() || std::any_of(Next.begin(), Next.end(), [&](StatementId N) { return Can[N]; });
      Changed |= Ends && !Can[I];
      Can[I] = Can[I] || Ends;
    }
  }
  return Can;
}

/// The statements that do something, reachable from one through Nops only. Ways on which the thread never
/// ends are left out: they have no outcome.
std::vector<unsigned> effectiveNext(const Thread &T, StatementId From, const std::vector<bool> &CanEnd,
                                    const std::vector<unsigned> &Index) {
  std::vector<unsigned> Next;
  std::vector<bool> Seen(T.Statements.size());
  std::function<void(StatementId)> Visit = [&](StatementId S) {
    if (T.Statements[S].Successors.empty())
      Next.push_back(Exit);
    for (StatementId N : T.Statements[S].Successors) {
      if (!CanEnd[N] || Seen[N])
        continue;
      Seen[N] = true;
      if (T.Statements[N].Op.Kind == Nop)
        Visit(N);
      else
        Next.push_back(Index[N]);
    }
  };
  Visit(From);
  std::sort(Next.begin(), Next.end());
  Next.erase(std::unique(Next.begin(), Next.end()), Next.end());
  return Next;
}

bool hasCycle(const CompiledThread &T) {
  std::vector<int> Mark(T.Statements.size());
  std::function<bool(unsigned)> Visit = [&](unsigned I) {
    Mark[I] = 1;
    for (unsigned N : T.Statements[I].Next)
      if (N != Exit && (Mark[N] == 1 || (Mark[N] == 0 && Visit(N))))
        return true;
    Mark[I] = 2;
    return false;
  };
  return Visit(0);
}

CompiledThread compileThread(const Thread &In) {
  CompiledThread T;
  T.Home = In.Home;
  if (In.Statements.empty()) {
    T.Statements.push_back(compileStatement({}));
    T.Statements[0].Next = {Exit};
  } else {
    std::vector<bool> CanEnd = canEnd(In);
    std::vector<unsigned> Index(In.Statements.size(), None);
    Statement Entry;
    Entry.Successors = {In.Entry};
    T.Statements.push_back(compileStatement(Entry));
    std::vector<StatementId> Kept;
    for (StatementId I = 0; I < In.Statements.size(); ++I)
      if (In.Statements[I].Op.Kind != Nop) {
        Index[I] = T.Statements.size();
        T.Statements.push_back(compileStatement(In.Statements[I]));
        T.Statements.back().Source = I;
        Kept.push_back(I);
      }
    for (unsigned K = 0; K < Kept.size(); ++K)
      T.Statements[K + 1].Next = effectiveNext(In, Kept[K], CanEnd, Index);
    if (In.Statements[In.Entry].Op.Kind == Nop)
      T.Statements[0].Next = effectiveNext(In, In.Entry, CanEnd, Index);
    else
      T.Statements[0].Next = {Index[In.Entry]};
  }
  T.Loops = hasCycle(T);
  for (const CompiledStatement &S : T.Statements) {
    T.Posts += isRemoteOperation(S.Op.Kind) || S.Op.Kind == Store || S.Op.Kind == LocalCas;
    T.Waits |= S.Op.Id != None;
  }
  computeFutures(T);
  return T;
}

} // namespace

Unsupported::Unsupported(const Site &Where, const std::string &Message)
    : std::runtime_error(placed(Where, Message)), Placed(Where.known()) {}

CompiledProgram compile(const Program &P) {
  CompiledProgram C;
  C.Source = &P;
  for (const Object &O : P.Objects)
    C.Initial.push_back(O.Initial);
  for (const Thread &T : P.Threads) {
    if (T.Many)
      throw Unsupported({}, "thread " + T.Name + " stands for any number of threads: write some of them out");
    C.Threads.push_back(compileThread(T));
  }
  std::set<std::pair<CompletionQueueId, ThreadIndex>> Polls;
  for (ThreadIndex T = 0; T < C.Threads.size(); ++T)
    for (const CompiledStatement &S : C.Threads[T].Statements)
      if (S.Op.Kind == Poll)
        Polls.insert({S.Op.Queue, T});
  for (const QueuePair &Q : P.QueuePairs) {
    std::set<ThreadIndex> Takers;
    for (auto [Queue, T] : Polls)
      if (reportsTo(Q, Queue))
        Takers.insert(T);
    C.Polled.push_back(!Takers.empty());
    C.Waited.push_back(Q.Owner < C.Threads.size() && C.Threads[Q.Owner].Waits);
    if (C.Waited.back())
      Takers.insert(Q.Owner);
    C.Contended.push_back(Takers.size() > 1);
  }
  return C;
}

} // namespace rdma::explorer
