#include "analyzer/core/Handshakes.h"

#include "analyzer/core/Flow.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace rdma {
namespace {

/// The location that a statement waits to see written, or nothing valid: one whose first value does not let
/// it pass.
Access awaited(const Program &P, const Operation &Op) {
  if (Op.Kind != OperationKind::Assume || !Op.Local.whole())
    return {};
  const Object &Flag = P.Objects[Op.Local.Target];
  bool PassesAtFirst = (Flag.Initial == Op.Constant) != Op.Negated;
  return PassesAtFirst || Flag.Anything || (P.OpenWorld && Flag.RemoteAccess) ? Access{} : Op.Local;
}

/// The one thread that writes the flag, and how; no writer when there are several.
struct Writes {
  ThreadIndex Writer = None;
  std::vector<StatementId> Statements;
  std::set<EventKind> Kinds;
};
Writes writesTo(const Program &P, const Access &Flag) {
  Writes Found;
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    for (StatementId S = 0; S < P.Threads[T].Statements.size(); ++S) {
      if (isUnseen(P.Threads[T].Statements[S].Op))
        continue;
      for (const SubEvents &Way : expand(P.Threads[T].Statements[S].Op))
        for (const SubEvent &E : Way) {
          if (!writes(E.Kind) || !mayOverlap(P, E.Location, Flag))
            continue;
          if (P.Threads[T].Many || (Found.Writer != None && Found.Writer != T))
            return {};
          Found.Writer = T;
          Found.Statements.push_back(S);
          Found.Kinds.insert(E.Kind);
        }
    }
  return Found;
}

struct Passed {
  bool Yes = false;
  bool operator==(const Passed &) const = default;
  Passed meet(Passed Other) const { return {Yes && Other.Yes}; }
};

/// Statements that can be reached behind one of these.
std::vector<bool> behind(const Thread &T, std::vector<StatementId> Work) {
  std::vector<bool> Seen(T.Statements.size());
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    for (StatementId Next : T.Statements[S].Successors)
      if (!Seen[Next]) {
        Seen[Next] = true;
        Work.push_back(Next);
      }
  }
  return Seen;
}

/// Events that gb orders before every one of the writes: of those whose order others may see, the pairs that
/// it leaves open are known.
std::vector<bool> guaranteed(const Analysis &A, ThreadIndex T, const Access &Flag) {
  const EventGraph &G = A.Threads[T];
  std::vector<EventId> Writes;
  for (EventId E : G.Order)
    if (!G.Events[E].Joins && writes(G.Events[E].Ref.Kind) &&
        mayOverlap(A.Code, G.Events[E].Ref.Location, Flag))
      Writes.push_back(E);
  std::vector<bool> Ordered(G.Events.size());
  for (EventId E : G.Order)
    Ordered[E] =
        !G.Events[E].Joins && isNic(G.Events[E].Ref.Kind) &&
        std::all_of(Writes.begin(), Writes.end(), [&](EventId Write) { return A.connected(T, {E, Write}); });
  for (const OpenPair &Open : A.Open[T])
    if (std::find(Writes.begin(), Writes.end(), Open.Later) != Writes.end())
      Ordered[Open.Earlier] = false;
  return Ordered;
}

/// Events that come before every one of the writes, and are observed before it.
std::vector<bool> before(const Analysis &A, const Writes &All, const Access &Flag) {
  const EventGraph &G = A.Threads[All.Writer];
  const std::vector<bool> Ordered = guaranteed(A, All.Writer, Flag);
  std::vector<bool> Late = behind(A.Code.Threads[G.Thread], All.Statements);
  for (StatementId S : All.Statements)
    Late[S] = true;
  std::vector<bool> Before(G.Events.size());
  for (EventId E : G.Order) {
    const Event &Here = G.Events[E];
    Before[E] = !Here.Joins && !Late[Here.Ref.Statement] &&
                (Ordered[E] || std::all_of(All.Kinds.begin(), All.Kinds.end(), [&](EventKind Write) {
                   return observedOrder(A.M, Here.Ref.Kind, Write) == Order::Kept;
                 }));
  }
  return Before;
}

/// What an await lets pass.
struct Passage {
  Access Word;
  std::int64_t Constant;
  bool Negated;
  auto operator<=>(const Passage &) const = default;
  bool isPassedBy(std::optional<std::int64_t> Value) const {
    return Value && (*Value == Constant) != Negated;
  }
};
Passage passage(const Operation &Op) { return {Op.Local, Op.Constant, Op.Negated}; }

/// The value that an operation writes where others look, if it is known.
std::optional<std::int64_t> written(const Program &P, const Operation &Op) {
  if (Op.Kind == OperationKind::Store)
    return constantOf(Op.Value);
  if (Op.Kind == OperationKind::Put && P.Objects[Op.Local.Target].Fresh)
    return P.Objects[Op.Local.Target].Initial;
  return std::nullopt;
}

/// Events that an assume on the flag comes before on every path; empty when the thread has none.
std::vector<bool> after(const Program &P, const EventGraph &G, const Access &Flag) {
  const Thread &T = P.Threads[G.Thread];
  bool Any = false;
  auto Facts = forwardFacts(T, Passed{}, [&](Passed Before, StatementId S) {
    bool Waits = awaited(P, T.Statements[S].Op) == Flag;
    Any |= Waits;
    return Passed{Before.Yes || Waits};
  });
  if (!Any || T.Many)
    return {};
  std::vector<bool> After(G.Events.size());
  for (EventId E : G.Order) {
    const auto &Known = Facts[G.Events[E].Ref.Statement];
    After[E] = Known && Known->Yes;
  }
  return After;
}

} // namespace

void Handshakes::findPassing(const Analysis &A) {
  std::map<Passage, unsigned> Numbers;
  for (const Thread &T : A.Code.Threads)
    for (const Statement &S : T.Statements)
      if (S.Op.Kind == OperationKind::Assume && S.Op.Awaits)
        Numbers.try_emplace(passage(S.Op), Numbers.size());
  Ways = Numbers.size();
  for (const EventGraph &G : A.Threads) {
    Passing &Mine = Passes.emplace_back();
    Mine.Awaited.resize(G.Events.size(), None);
    Mine.Lets.resize(G.Events.size());
    for (EventId E : G.Order) {
      const EventRef &Ref = G.Events[E].Ref;
      if (G.Events[E].Joins || !Ways)
        continue;
      const Operation &Op = G.operation(A.Code, E);
      if (Op.Kind == OperationKind::Assume && Op.Awaits)
        Mine.Awaited[E] = Numbers.at(passage(Op));
      Mine.Lets[E].resize(Ways);
      for (const auto &[Way, Number] : Numbers)
        Mine.Lets[E][Number] =
            writes(Ref.Kind) && Ref.Location == Way.Word && Way.isPassedBy(written(A.Code, Op));
    }
  }
}

Handshakes::Handshakes(const Analysis &A) {
  const Program &Code = A.Code;
  findPassing(A);
  std::set<ObjectId> Flags;
  for (const Thread &T : Code.Threads)
    for (const Statement &S : T.Statements)
      if (Access Flag = awaited(Code, S.Op); Flag.valid())
        Flags.insert(Flag.Target);
  for (ObjectId Target : Flags) {
    Writes Found = writesTo(Code, {Target});
    if (Found.Writer == None)
      continue;
    Handshake H{Found.Writer, before(A, Found, {Target}), {}};
    for (const EventGraph &G : A.Threads)
      H.After.push_back(G.Thread == Found.Writer ? std::vector<bool>() : after(Code, G, {Target}));
    All.push_back(std::move(H));
  }
}

std::vector<bool> Handshakes::placeOf(ThreadIndex T, EventId E) const {
  std::vector<bool> Place;
  for (const Handshake &H : All) {
    Place.push_back(H.Writer == T && H.Before[E]);
    Place.push_back(!H.After[T].empty() && H.After[T][E]);
  }
  for (unsigned Way = 0; Way < Ways; ++Way) {
    Place.push_back(Passes[T].Awaited[E] == Way);
    Place.push_back(!Passes[T].Lets[E].empty() && Passes[T].Lets[E][Way]);
  }
  return Place;
}

bool Handshakes::over(ThreadIndex Waiter, EventId First, ThreadIndex Writer, EventId Second) const {
  if (const unsigned Way = Passes[Waiter].Awaited[First];
      Way != None && !Passes[Writer].Lets[Second].empty() && Passes[Writer].Lets[Second][Way])
    return true;
  for (const Handshake &H : All)
    if (H.Writer == Writer && H.Before[Second] && !H.After[Waiter].empty() && H.After[Waiter][First])
      return true;
  return false;
}

} // namespace rdma
