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

/// Whom a thread awaits has ended, or at least: has ended if it has begun.
struct Passed {
  bool Ended = false, EndedIfBegun = false;
  bool operator==(const Passed &) const = default;
  Passed meet(Passed Other) const { return {Ended && Other.Ended, EndedIfBegun && Other.EndedIfBegun}; }
};

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

/// Goes on only where nobody, which is the thread itself, has written the flag yet.
bool isUnwritten(const Program &P, const Operation &Op) {
  return Op.Kind == OperationKind::Assume && Op.Local.whole() && !Op.Negated &&
         Op.Constant == P.Objects[Op.Local.Target].Initial;
}

/// Statements from which none of these can be reached, nor are they any of these.
std::vector<bool> beyond(const Thread &T, const std::vector<StatementId> &Some) {
  const std::vector<std::vector<StatementId>> Before = predecessors(T);
  std::vector<bool> Beyond(T.Statements.size(), true);
  std::vector<StatementId> Work = Some;
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    if (!Beyond[S])
      continue;
    Beyond[S] = false;
    Work.insert(Work.end(), Before[S].begin(), Before[S].end());
  }
  return Beyond;
}

/// Events that an assume on the flag comes before on every path; empty when the thread has none. Start says
/// that the writer of the flag begins, and no other thread writes it: where it is unwritten and no write is
/// to come, the writer never begins, which is as good.
std::vector<bool> after(const Program &P, const EventGraph &G, const Access &Flag,
                        const Writes *Start = nullptr, const Access &Begins = {}) {
  const Thread &T = P.Threads[G.Thread];
  bool Any = false;
  auto Facts = forwardFacts(T, Passed{}, [&](Passed Before, StatementId S) {
    const Operation &Op = T.Statements[S].Op;
    const bool Waits = awaited(P, Op) == Flag;
    Any |= Waits;
    if (Start && std::ranges::find(Start->Statements, S) != Start->Statements.end())
      Before.EndedIfBegun = Before.Ended;
    const bool Unbegun = Start && Op.Local == Begins && isUnwritten(P, Op);
    return Passed{Before.Ended || Waits, Before.EndedIfBegun || Waits || Unbegun};
  });
  if (!Any || T.Many)
    return {};
  const std::vector<bool> Begun =
      Start ? beyond(T, Start->Statements) : std::vector<bool>(T.Statements.size());
  std::vector<bool> After(G.Events.size());
  for (EventId E : G.Order) {
    const StatementId S = G.Events[E].Ref.Statement;
    After[E] = Facts[S] && (Facts[S]->Ended || (Facts[S]->EndedIfBegun && Begun[S]));
  }
  return After;
}

/// Does nobody who has written the flag read its first value there?
bool areSeen(const Program &P, const Writes &All, const Access &Flag) {
  const Thread &T = P.Threads[All.Writer];
  return std::ranges::all_of(All.Statements, [&](StatementId S) {
    const Operation &Op = T.Statements[S].Op;
    const std::optional<std::int64_t> Value =
        Op.Kind == OperationKind::Store ? constantOf(Op.Value) : std::nullopt;
    return Value && *Value != P.Objects[Flag.Target].Initial;
  });
}

} // namespace

Access begins(const Program &P, const Thread &T) {
  StatementId S = T.Entry;
  std::set<StatementId> Seen;
  while (Seen.insert(S).second) {
    const Statement &Here = T.Statements[S];
    if (Access Flag = awaited(P, Here.Op); Flag.valid())
      return Flag;
    if (Here.Op.Kind != OperationKind::Nop || Here.Successors.size() != 1)
      return {};
    S = Here.Successors[0];
  }
  return {};
}

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
  for (const EventGraph &G : A.Threads) {
    const Thread &T = Code.Threads[G.Thread];
    Home.push_back(T.Home);
    std::vector<bool> &Here = Unshown.emplace_back(G.Events.size());
    for (EventId E : G.Order)
      Here[E] = !G.Events[E].Joins && T.Statements[G.Events[E].Ref.Statement].Op.Unshown;
  }
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
    const Access Begins = begins(Code, Code.Threads[Found.Writer]);
    const Writes Start = Begins.valid() ? writesTo(Code, Begins) : Writes{};
    const bool Seen = Start.Writer != None && areSeen(Code, Start, Begins);
    for (const EventGraph &G : A.Threads) {
      const bool Starts = Seen && Start.Writer == G.Thread;
      H.After.push_back(G.Thread == Found.Writer
                            ? std::vector<bool>()
                            : after(Code, G, {Target}, Starts ? &Start : nullptr, Begins));
    }
    All.push_back(std::move(H));
  }
}

std::vector<bool> Handshakes::placeOf(ThreadIndex T, EventId E) const {
  std::vector<bool> Place;
  for (const Handshake &H : All) {
    Place.push_back(H.Writer == T && H.Before[E]);
    Place.push_back(!H.After[T].empty() && H.After[T][E]);
  }
  Place.push_back(Unshown[T][E]);
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
  if (Unshown[Writer][Second] && Home[Waiter] == Home[Writer])
    return true;
  for (const Handshake &H : All)
    if (H.Writer == Writer && H.Before[Second] && !H.After[Waiter].empty() && H.After[Waiter][First])
      return true;
  return false;
}

} // namespace rdma
