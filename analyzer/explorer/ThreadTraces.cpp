#include "analyzer/explorer/ThreadTraces.h"

#include <algorithm>

namespace rdma::explorer {

using enum OperationKind;
using enum EventKind;

namespace {

/// A posted operation whose completion has not been taken.
struct Open {
  unsigned Write; ///< its event that a poll learns of
  QueuePairId Pair;
  WorkId Id;
  bool Signaled, ForPolls;
};

struct Path {
  ThreadTrace Trace;
  std::vector<Open> Opens; ///< in posting order
  std::vector<unsigned> Visits;
};

class Tracer {
public:
  Tracer(const Program &P, ThreadIndex T, unsigned Unroll) : P(P), Body(P.Threads[T]), Unroll(Unroll) {}

  std::vector<ThreadTrace> run() {
    Path Start;
    Start.Visits.resize(Body.Statements.size());
    if (Body.Statements.empty())
      Out.push_back({});
    else
      walk(std::move(Start), Body.Entry);
    return std::move(Out);
  }

private:
  void walk(Path At, StatementId S) {
    if (At.Visits[S]++ > Unroll)
      return;
    const Statement &Here = Body.Statements[S];
    if (Here.Op.Kind == Poll)
      return poll(At, Here, Here.Op.Count);
    if (Here.Op.Kind == Wait) {
      if (wait(At, Here.Op))
        goOn(std::move(At), Here);
      return;
    }
    for (const SubEvents &Way : expand(Here.Op)) {
      Path Next = At;
      append(Next, Here, Way);
      goOn(std::move(Next), Here);
    }
  }

  void goOn(Path At, const Statement &From) {
    if (From.Successors.empty())
      Out.push_back(std::move(At.Trace));
    else
      for (StatementId N : From.Successors)
        walk(At, N);
  }

  /// One P, which learns of the oldest operation whose completion is for polls, and of what came before it.
  bool takeCompletion(Path &At, QueuePairId Pair) {
    Event Poll{.Kind = EventKind::P};
    bool Found = false;
    for (auto I = At.Opens.begin(); I != At.Opens.end() && !Found;) {
      if (I->Pair != Pair) {
        ++I;
        continue;
      }
      Poll.PollsFrom.push_back(I->Write);
      Found = I->ForPolls;
      I = At.Opens.erase(I);
    }
    At.Trace.Events.push_back(std::move(Poll));
    return Found;
  }

  /// Each poll takes the oldest completion of one of the queue pairs that report there.
  void poll(const Path &At, const Statement &S, unsigned Left) {
    if (Left == 0)
      return goOn(At, S);
    for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q) {
      if (!reportsTo(P.QueuePairs[Q], S.Op.Queue))
        continue;
      if (&P.Threads[P.QueuePairs[Q].Owner] != &Body)
        throw Unsupported(S.Where, "a poll of what another thread has posted");
      Path Next = At;
      if (takeCompletion(Next, Q))
        poll(Next, S, Left - 1);
    }
  }

  /// One P, which learns of everything up to the completions that cover what carries Id. It leaves them
  /// where they are: those of others are for their owners, and to learn of one twice says nothing new.
  bool wait(Path &At, const Operation &Op) {
    Event Wait{.Kind = EventKind::P};
    for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q) {
      std::vector<unsigned> SinceCovered; // not yet known to be needed
      bool Waits = false;
      auto Left = std::count_if(At.Opens.begin(), At.Opens.end(),
                                [&](const Open &O) { return O.Pair == Q && O.Id == Op.Id; });
      for (const Open &O : At.Opens) {
        if (O.Pair != Q)
          continue;
        SinceCovered.push_back(O.Write);
        Waits |= O.Id == Op.Id && Left-- > Op.Constant;
        if (!Waits || !O.Signaled)
          continue;
        Wait.PollsFrom.insert(Wait.PollsFrom.end(), SinceCovered.begin(), SinceCovered.end());
        SinceCovered.clear();
        Waits = false;
      }
      if (Waits)
        return false;
    }
    At.Trace.Events.push_back(std::move(Wait));
    return true;
  }

  void append(Path &At, const Statement &S, const SubEvents &Way) {
    if (S.Op.Deregisters) // what is there stays
      return;
    ThreadTrace &T = At.Trace;
    unsigned First = T.Events.size();
    for (const SubEvent &E : Way) {
      if (E.Location.valid() && !E.Location.whole())
        throw Unsupported(S.Where, "part of an object: write the program as litmus text first");
      // What a receive waits for is written by another thread.
      const Access &At = S.Op.Receives && E.Location.valid() ? S.Op.Remote : E.Location;
      T.Events.push_back({.Kind = E.Kind, .Location = At.Target, .Pair = E.Pair});
      T.Events.back().RequestFence = E.Kind == nF && S.Op.Kind != RemoteFence;
    }
    fillValues(T, S, First);
    if (isRequest(S.Op.Kind))
      At.Opens.push_back(
          {unsigned(T.Events.size() - 1), S.Op.Pair, S.Op.Id, leavesCompletion(S.Op), leavesForPolls(S.Op)});
  }

  /// The operand as a sum, its reads taken from event Next on.
  Sum operand(const std::optional<Expression> &E, const Statement &S, unsigned &Next) {
    if (!E)
      throw Unsupported(S.Where, "a value that is not known: write the program as litmus text first");
    Sum Out;
    for (const Term &T : *E) {
      if (T.IsConstant)
        Out.Constant += T.Sign * T.Constant;
      else
        Out.Reads.push_back({T.Sign, Next++});
    }
    return Out;
  }

  void fillValues(ThreadTrace &T, const Statement &S, unsigned Next) {
    const Operation &Op = S.Op;
    switch (Op.Kind) {
    case Store:
      T.Events.back().Writes = operand(Op.Value, S, Next);
      break;
    case Assume:
      T.Requirements.push_back({Next, !Op.Negated, {Op.Constant, {}}});
      break;
    case LocalCas:
    case RemoteCas: {
      Sum Expected = exchanges(Op) ? Sum{} : operand(Op.Value, S, Next),
          Desired = operand(Op.Desired, S, Next);
      if (exchanges(Op)) // what it holds is what it holds
        Expected.Reads.push_back({1, Next});
      fillUpdate(T, Next, Desired, &Expected);
      break;
    }
    case RemoteFaa: {
      Sum Addend = operand(Op.Value, S, Next);
      fillUpdate(T, Next, Addend, nullptr);
      break;
    }
    case Put:
    case Get:
      T.Events.back().Writes = {0, {{1, unsigned(T.Events.size() - 2)}}};
      if (Op.Kind == Put && Op.Inline) // a fence may stand between the CPU's read and the write
        T.Events.back().Writes.Reads[0].second = Next;
      break;
    case LocalRmw:
      throw Unsupported(S.Where, "a read-modify-write of unknown effect");
    default:
      break;
    }
  }

  /// From event Next on: the read and write of a compare-and-swap (Expected given) or fetch-and-add, then the
  /// delivery of the old value.
  void fillUpdate(ThreadTrace &T, unsigned Next, Sum New, const Sum *Expected) {
    unsigned Read = Next;
    while (!reads(T.Events[Read].Kind))
      ++Read;
    if (!Expected)
      New.Reads.push_back({1, Read});
    bool Succeeds = false;
    for (unsigned I = Read; I < T.Events.size(); ++I) {
      Event &E = T.Events[I];
      if (E.Kind == CAS || E.Kind == narW) {
        Succeeds = true;
        E.Writes = New;
        E.AtomicRead = E.Kind == narW ? Read : None;
      } else if (writes(E.Kind)) {
        E.Writes = {0, {{1, Read}}};
      }
    }
    if (Expected)
      T.Requirements.push_back({Read, Succeeds, *Expected});
  }

  const Program &P;
  const Thread &Body;
  unsigned Unroll;
  std::vector<ThreadTrace> Out;
};

} // namespace

std::vector<ThreadTrace> tracesOf(const Program &P, ThreadIndex T, unsigned Unroll) {
  return Tracer(P, T, Unroll).run();
}

} // namespace rdma::explorer
