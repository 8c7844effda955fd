#include "analyzer/core/Sections.h"

#include "analyzer/core/Flow.h"

#include <algorithm>
#include <map>
#include <optional>

namespace rdma {
namespace {

using Locks = Sections::Locks;
constexpr std::size_t MostLocks = 64;

/// A write of a constant by the CPU; of a compare-and-swap: in place of one.
struct Swap {
  Access Word;
  std::optional<std::int64_t> From;
  std::int64_t To;
};

std::optional<Swap> swap(const Operation &Op) {
  const bool Compares = Op.Kind == OperationKind::LocalCas;
  if ((!Compares && Op.Kind != OperationKind::Store) || Op.Local.Somewhere)
    return std::nullopt;
  const auto From = Compares ? constantOf(Op.Value) : std::nullopt;
  const auto To = constantOf(Compares ? Op.Desired : Op.Value);
  return To && (From || !Compares) && From != To ? std::optional(Swap{Op.Local, From, *To}) : std::nullopt;
}

/// The value of a lock that is free, and of one that is held.
struct Values {
  std::int64_t Free, Held;
};

std::map<Access, Values> candidates(const Program &P) {
  std::map<Access, Values> Found;
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements)
      if (auto Swap = swap(S.Op);
          Swap && !P.Objects[Swap->Word.Target].Several && !P.Objects[Swap->Word.Target].RemoteAccess)
        if (const std::int64_t Free = P.Objects[Swap->Word.Target].Initial; Swap->From == Free)
          Found.try_emplace(Swap->Word, Values{Free, Swap->To});
  return Found;
}

bool takes(const Swap &S, const Values &Of) { return S.From == Of.Free && S.To == Of.Held; }
bool gives(const Swap &S, const Values &Of) { return S.From.value_or(Of.Held) == Of.Held && S.To == Of.Free; }

/// Writes of anything else make it no lock.
bool mayBreak(const Program &P, const Operation &Op, const Access &Word, const Values &Of) {
  const auto Swap = swap(Op);
  const bool Fits = Swap && Swap->Word == Word && (takes(*Swap, Of) || gives(*Swap, Of));
  const EventKind Swaps = Swap && Swap->From ? EventKind::CAS : EventKind::lW;
  for (const SubEvents &Way : expand(Op))
    for (const SubEvent &E : Way)
      if (writes(E.Kind) && mayOverlap(P, E.Location, Word) && !(Fits && E.Kind == Swaps))
        return true;
  return false;
}

struct Lock {
  Values Of;
  unsigned Number;
};
using LockWords = std::map<Access, Lock>;

LockWords lockWords(const Program &P) {
  LockWords Words;
  for (const auto &[Word, Of] : candidates(P)) {
    auto breaks = [&, Word = Word, Of = Of](const Thread &T) {
      return std::any_of(T.Statements.begin(), T.Statements.end(),
                         [&](const Statement &S) { return mayBreak(P, S.Op, Word, Of); });
    };
    if (Words.size() < MostLocks && std::none_of(P.Threads.begin(), P.Threads.end(), breaks))
      Words.emplace(Word, Lock{Of, static_cast<unsigned>(Words.size())});
  }
  return Words;
}

struct Holding {
  Locks All = 0;
  bool operator==(const Holding &) const = default;
  Holding meet(Holding Other) const { return {All & Other.All}; }
};

/// What a statement does to a lock.
struct Use {
  Locks Bit = 0; ///< none: nothing
  Access Word = {};
  bool Gives = false, Certain = false;
};

Use useOf(const Operation &Op, const LockWords &Words) {
  const auto Swap = swap(Op);
  auto Found = Swap ? Words.find(Swap->Word) : Words.end();
  if (Found == Words.end() || Op.Success == Operation::Outcome::Fails)
    return {};
  return {Locks(1) << Found->second.Number, Found->first, gives(*Swap, Found->second.Of),
          Op.Success == Operation::Outcome::Succeeds};
}

/// Per statement: the locks held before it.
std::vector<std::optional<Holding>> holding(const Thread &T, const LockWords &Words) {
  return forwardFacts(T, Holding{}, [&](Holding Before, StatementId S) {
    const Use Here = useOf(T.Statements[S].Op, Words);
    if (Here.Gives)
      return Holding{Before.All & ~Here.Bit};
    return Here.Certain ? Holding{Before.All | Here.Bit} : Before;
  });
}

/// Events from which a way leads to this one.
std::vector<bool> leadingTo(const EventGraph &G, EventId To) {
  std::vector<std::vector<EventId>> Into(G.Events.size());
  for (EventId E : G.Order)
    for (EventId Next : G.Events[E].Successors)
      Into[Next].push_back(E);
  std::vector<bool> Leads(G.Events.size());
  std::vector<EventId> Work{To};
  while (!Work.empty()) {
    EventId E = Work.back();
    Work.pop_back();
    for (EventId Before : Into[E])
      if (!Leads[Before]) {
        Leads[Before] = true;
        Work.push_back(Before);
      }
  }
  return Leads;
}

/// Events with a way to the give that gb does not order before it.
std::vector<bool> openBefore(const Analysis &A, ThreadIndex T, EventId Give) {
  const EventGraph &G = A.Threads[T];
  std::vector<bool> Open = leadingTo(G, Give);
  for (EventId E : G.Order)
    if (Open[E])
      Open[E] = !G.Events[E].Joins &&
                (isNic(G.Events[E].Ref.Kind)
                     ? !A.connected(T, {E, Give})
                     : observedOrder(A.M, G.Events[E].Ref.Kind, G.Events[Give].Ref.Kind) != Order::Kept);
  for (const OpenPair &Pair : A.Open[T])
    if (Pair.Later == Give)
      Open[Pair.Earlier] = true;
  return Open;
}

} // namespace

Sections::Sections(const Analysis &A) {
  const Program &P = A.Code;
  const LockWords Words = lockWords(P);
  std::vector<std::vector<std::optional<Holding>>> Before;
  // Who gives back what another holds opens the sections of both.
  Locks Whole = ~Locks(0);
  for (const Thread &T : P.Threads) {
    Before.push_back(holding(T, Words));
    for (StatementId S = 0; S < T.Statements.size(); ++S)
      if (const Use Here = useOf(T.Statements[S].Op, Words); Here.Gives && Before.back()[S])
        Whole &= ~(Here.Bit & ~Before.back()[S]->All);
  }
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T) {
    const EventGraph &G = A.Threads[T];
    Held.emplace_back(G.Events.size());
    // The open pairs of a thread that stands for many are not known.
    Closed.emplace_back(G.Events.size(), P.Threads[T].Many ? 0 : Whole);
    for (EventId E : G.Order) {
      const Event &Here = G.Events[E];
      if (Here.Joins)
        continue;
      if (const auto &Known = Before[T][Here.Ref.Statement])
        Held[T][E] = Known->All & Whole;
      const Use Of = useOf(G.operation(P, E), Words);
      if (!Of.Gives || !writes(Here.Ref.Kind) || Here.Ref.Location != Of.Word)
        continue;
      const std::vector<bool> Open = openBefore(A, T, E);
      for (EventId Earlier : G.Order)
        if (Open[Earlier])
          Closed[T][Earlier] &= ~Of.Bit;
    }
  }
}

} // namespace rdma
