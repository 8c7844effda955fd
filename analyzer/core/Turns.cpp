#include "analyzer/core/Turns.h"

#include "analyzer/core/Flow.h"
#include "analyzer/core/StoreToLoad.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace rdma {
namespace {

constexpr unsigned Never = std::numeric_limits<unsigned>::max();

bool isRenewed(const Operation &Op) { return Op.Kind == OperationKind::Load && Op.Renewed != None; }
bool isAwait(const Program &P, const Operation &Op) {
  return ((Op.Kind == OperationKind::Assume && !Op.Awaits) || isRenewed(Op)) && isExact(P, Op.Local);
}

/// The number that is there at first does not let it pass, the first time that it looks.
bool rejectsFirst(const Operation &Await, std::int64_t Number) {
  if (!isRenewed(Await))
    return rejects(Await, Number);
  Operation Equal = Await;
  Equal.Constant = Await.RenewedFrom.value_or(Number);
  return rejects(Equal, Number);
}

/// What is there at first; nothing: that is not known.
std::optional<std::int64_t> firstNumber(const Program &P, const Access &Word) {
  const Object &In = P.Objects[Word.Target];
  if ((P.OpenWorld && In.RemoteAccess) || !(Word.whole() || In.Zeros))
    return std::nullopt;
  return Word.whole() ? In.Initial : 0;
}

/// Which of the sub-events of a statement write the location.
std::vector<std::vector<SubEvent>> writesThere(const Program &P, const Operation &Op,
                                               const Access &Location) {
  std::vector<std::vector<SubEvent>> Ways;
  if (isUnseen(Op))
    return Ways;
  for (const SubEvents &Way : expand(Op)) {
    std::vector<SubEvent> &Some = Ways.emplace_back();
    for (const SubEvent &E : Way)
      if (writes(E.Kind) && mayOverlap(P, E.Location, Location))
        Some.push_back(E);
  }
  return Ways;
}

/// What the awaiter has found or put last in the word: what it awaits next has been written since, if that
/// number does not let it pass.
struct Latest {
  bool AtFirst = true; ///< perhaps it has done neither so far
  enum class What : std::uint8_t { Nothing, Number, Renewed, Unknown } Known = What::Nothing;
  std::int64_t Number = 0; ///< Renewed: of the awaits that find another one each time
  static Latest number(std::int64_t N) { return {false, What::Number, N}; }
  static Latest behind(const Operation &Await) {
    if (isRenewed(Await))
      return {false, What::Renewed, Await.Renewed};
    return Await.Negated ? unknown() : number(Await.Constant);
  }
  /// What the await is let pass by has been written since.
  bool isOld(const Operation &Await) const {
    if (isRenewed(Await))
      return Known == What::Nothing || (Known == What::Renewed && Number == Await.Renewed);
    return Known == What::Nothing || (Known == What::Number && rejects(Await, Number));
  }
  static Latest unknown() { return {false, What::Unknown, 0}; }
  bool operator==(const Latest &) const = default;
  Latest meet(const Latest &Other) const {
    Latest Both = Known == What::Nothing ? Other : *this;
    if (Known != What::Nothing && Other.Known != What::Nothing &&
        (Known != Other.Known || Number != Other.Number))
      Both = unknown();
    Both.AtFirst = AtFirst || Other.AtFirst;
    return Both;
  }
};

/// Writes less passes; nothing where ways differ.
struct Difference {
  std::optional<int> Ahead = 0;
  bool operator==(const Difference &) const = default;
  Difference meet(const Difference &Other) const { return *this == Other ? *this : Difference{std::nullopt}; }
};

} // namespace

Turns::Turns(const Analysis &A) : A(A) {
  for (ThreadIndex T = 0; T < A.Code.Threads.size(); ++T) {
    std::set<Access> Seen;
    for (const Statement &S : A.Code.Threads[T].Statements)
      if (!A.Code.Threads[T].Many && isAwait(A.Code, S.Op) && Seen.insert(S.Op.Local).second)
        findWord(S.Op.Local, T);
  }
  for (Word &Own : Words)
    if (std::ranges::any_of(Words, [&](const Word &Awaited) { return areTurns(Own, Awaited); }))
      findOrdered(Own);
  for (const Word &Own : Words)
    for (const Word &Awaited : Words)
      if (areTurns(Own, Awaited))
        Counts[{Own.Writer, Own.Awaiter}].emplace_back(count(Own, Awaited), count(Awaited, Own));
}

bool Turns::areTurns(const Word &Own, const Word &Awaited) {
  return Own.Writer == Awaited.Awaiter && Own.Awaiter == Awaited.Writer;
}

bool Turns::any(ThreadIndex T) const {
  return std::ranges::any_of(Counts, [&](const auto &C) { return C.first.first == T; });
}

/// By all that it awaits there that is equal to a number, or by one such condition, or by those that find
/// another number each time.
void Turns::findWord(const Access &Location, ThreadIndex Awaiter) {
  const std::vector<Statement> &All = A.Code.Threads[Awaiter].Statements;
  std::map<std::tuple<std::int64_t, bool, unsigned>, std::vector<StatementId>> Conditions;
  std::vector<StatementId> Equal;
  for (StatementId S = 0; S < All.size(); ++S)
    if (const Operation &Op = All[S].Op; isAwait(A.Code, Op) && Op.Local == Location) {
      Conditions[{Op.Constant, Op.Negated, Op.Renewed}].push_back(S);
      if (!Op.Negated && !isRenewed(Op))
        Equal.push_back(S);
    }
  Word W;
  W.Location = Location, W.Awaiter = Awaiter;
  if (!findWriter(W))
    return;
  std::set<std::vector<StatementId>> Ways{Equal};
  for (const auto &[Condition, Some] : Conditions)
    Ways.insert(Some);
  for (const std::vector<StatementId> &Awaits : Ways)
    if (Word Found = W; !Awaits.empty() && passesOnce(Found, Awaits))
      Words.push_back(std::move(Found));
}

/// One other thread, which writes the word once at a time and in the order of the program.
bool Turns::findWriter(Word &W) const {
  for (ThreadIndex T = 0; T < A.Code.Threads.size(); ++T)
    for (StatementId S = 0; S < A.Code.Threads[T].Statements.size(); ++S) {
      const Operation &Op = A.Code.Threads[T].Statements[S].Op;
      const auto Ways = writesThere(A.Code, Op, W.Location);
      if (std::ranges::all_of(Ways, [](const auto &Way) { return Way.empty(); }))
        continue;
      if (T == W.Awaiter) {
        if (Op.Kind != OperationKind::Store || Op.Local != W.Location || !constantOf(Op.Value))
          return false;
        continue;
      }
      if (A.Code.Threads[T].Many || (W.Writer != None && W.Writer != T) ||
          std::ranges::any_of(Ways, [](const auto &Way) { return Way.size() != 1; }))
        return false;
      W.Writer = T;
      W.Written.resize(A.Code.Threads[T].Statements.size());
      W.Written[S] = true;
    }
  return W.Writer != None;
}

/// Is each pass let by a write that has let no other one?
bool Turns::passesOnce(Word &W, const std::vector<StatementId> &Awaits) const {
  const Thread &T = A.Code.Threads[W.Awaiter];
  W.Passed.assign(T.Statements.size(), false);
  for (StatementId S : Awaits)
    W.Passed[S] = true;
  auto Before = forwardFacts(T, Latest{}, [&](Latest Now, StatementId S) {
    const Operation &Op = T.Statements[S].Op;
    if (W.Passed[S])
      return Latest::behind(Op);
    if (Op.Kind == OperationKind::Store && Op.Local == W.Location)
      return Latest::number(*constantOf(Op.Value));
    return Now;
  });
  for (StatementId S : Awaits) {
    if (!Before[S])
      continue;
    const Operation &Op = T.Statements[S].Op;
    if (Before[S]->AtFirst) {
      const std::optional<std::int64_t> First = firstNumber(A.Code, W.Location);
      W.OnceAtFirst |= !First || !rejectsFirst(Op, *First);
    }
    if (!Before[S]->isOld(Op))
      return false;
  }
  return true;
}

/// Events that oppo, or gb, orders before each write that may come next; and the writes themselves, which
/// are in order among each other, or else none.
void Turns::findOrdered(Word &W) const {
  const EventGraph &G = A.Threads[W.Writer];
  std::set<std::pair<EventId, EventId>> Open;
  for (const OpenPair &Pair : A.Open[W.Writer])
    Open.emplace(Pair.Earlier, Pair.Later);
  auto isWrite = [&](EventId E) {
    const Event &Here = G.Events[E];
    return !Here.Joins && writes(Here.Ref.Kind) && W.Written[Here.Ref.Statement] &&
           mayOverlap(A.Code, Here.Ref.Location, W.Location);
  };
  auto isBefore = [&](EventId E, EventId Write) {
    const EventKind Kind = G.Events[E].Ref.Kind;
    if (!isNic(Kind) && observedOrder(A.M, Kind, G.Events[Write].Ref.Kind) == Order::Kept)
      return true;
    return A.Public[W.Writer][E] && A.connected(W.Writer, {E, Write}) && !Open.contains({E, Write});
  };
  W.Ordered.assign(G.Events.size(), false);
  for (EventId E : G.Order) {
    if (G.Events[E].Joins)
      continue;
    W.Ordered[E] = true;
    std::set<EventId> Seen;
    std::deque<EventId> Work(G.Events[E].Successors.begin(), G.Events[E].Successors.end());
    // The write itself comes before the next one.
    for (; !Work.empty() && W.Ordered[E]; Work.pop_front()) {
      const EventId Next = Work.front();
      if (!Seen.insert(Next).second)
        continue;
      if (isWrite(Next))
        W.Ordered[E] = isBefore(E, Next);
      else
        Work.insert(Work.end(), G.Events[Next].Successors.begin(), G.Events[Next].Successors.end());
    }
  }
  for (EventId E : G.Order)
    if (isWrite(E) && !W.Ordered[E])
      return W.Ordered.assign(G.Events.size(), false);
}

Turns::Count Turns::count(const Word &Own, const Word &Awaited) const {
  Count C{&Own, &Awaited, {}};
  for (const auto &Before :
       forwardFacts(A.Code.Threads[Own.Writer], Difference{}, [&](Difference Now, StatementId S) {
         if (Now.Ahead)
           *Now.Ahead += int(Own.Written[S]) - int(Awaited.Passed[S]);
         return Now;
       }))
    C.Ahead.push_back(Before ? Before->Ahead : std::nullopt);
  return C;
}

/// At the event: an assume counts as passed, a write not yet as done.
std::optional<int> Turns::aheadAt(const Count &C, EventId E) const {
  const StatementId S = A.Threads[C.Own->Writer].Events[E].Ref.Statement;
  return C.Ahead[S] ? std::optional(*C.Ahead[S] - int(C.Awaited->Passed[S])) : std::nullopt;
}

/// How many writes of its own word a step of the thread leaves behind.
unsigned Turns::step(const Count &C, EventId From, EventId To) const {
  const Event &Left = A.Threads[C.Own->Writer].Events[From], &Next = A.Threads[C.Own->Writer].Events[To];
  const bool Leaves = !Left.Joins && (Next.Joins || Next.Ref.Statement != Left.Ref.Statement);
  return Leaves && C.Own->Written[Left.Ref.Statement] ? 1 : 0;
}

/// The fewest writes, with what is there at the beginning, on the way to each event; Never: there is none.
std::vector<unsigned> Turns::leastSteps(const Count &C, const std::map<EventId, unsigned> &From) const {
  const EventGraph &G = A.Threads[C.Own->Writer];
  std::vector<unsigned> Least(G.Events.size(), Never);
  std::set<std::pair<unsigned, EventId>> Work;
  auto reach = [&](EventId E, unsigned Steps) {
    if (Steps < Least[E]) {
      Least[E] = Steps;
      Work.emplace(Steps, E);
    }
  };
  for (const auto &[E, Steps] : From)
    reach(E, Steps);
  while (!Work.empty()) {
    const auto [Steps, E] = *Work.begin();
    Work.erase(Work.begin());
    if (Steps == Least[E])
      for (EventId Next : G.Events[E].Successors)
        reach(Next, Steps + step(C, E, Next));
  }
  return Least;
}

/// Let w be the writes of its own word in front of each event. Here: w(later) >= w(earlier) + Along, and
/// p = w - ahead. The later event comes before one of From: p(later) <= w(from). There: w(to) >= w(from) +
/// Across. One of To comes before the earlier event: p(to) <= w(earlier). Together: w(earlier) >=
/// w(earlier) + Along - ahead(later) + Across - ahead(to).
bool Turns::excludes(const Count &Here, const Count &There, const OpenPair &Pair,
                     const std::vector<EventId> &From, const std::vector<EventId> &To) const {
  const std::optional<int> Later = aheadAt(Here, Pair.Later);
  if (!Later || !Here.Own->Ordered[Pair.Earlier])
    return false;
  std::map<EventId, unsigned> Behind;
  for (EventId Next : A.Threads[Here.Own->Writer].Events[Pair.Earlier].Successors)
    Behind[Next] = step(Here, Pair.Earlier, Next);
  const unsigned Along = leastSteps(Here, Behind)[Pair.Later];
  std::map<EventId, unsigned> Entered;
  for (EventId E : From)
    if (!There.Own->Ordered[E])
      return false;
    else
      Entered[E] = 0;
  const std::vector<unsigned> Across = leastSteps(There, Entered);
  const int AtFirst = int(Here.Awaited->OnceAtFirst) + int(There.Awaited->OnceAtFirst);
  return Along != Never && std::ranges::all_of(To, [&](EventId E) {
           const std::optional<int> Ahead = aheadAt(There, E);
           return Across[E] == Never ||
                  (Ahead && int(Along) - *Later + int(Across[E]) - *Ahead - AtFirst > 0);
         });
}

bool Turns::mayClose(ThreadIndex T, const OpenPair &Pair, ThreadIndex Other, const std::vector<EventId> &From,
                     const std::vector<EventId> &To) const {
  const auto Found = Counts.find({T, Other});
  return Found == Counts.end() || std::ranges::none_of(Found->second, [&](const auto &Both) {
           return excludes(Both.first, Both.second, Pair, From, To);
         });
}

} // namespace rdma
