// Where remedies may stand: before the later operation, behind the earlier one, at junctions and loop entries
// between them, and as a flag on the requests between them.
#include "rewriter/plan/Plan.h"

#include "analyzer/report/Places.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace rdma {
namespace {

using enum OperationKind;
using Stand = PlannedEdit::Stand;

/// Statements that can be reached from From, itself only around a loop.
std::vector<bool> reachable(const std::vector<std::vector<StatementId>> &Next, StatementId From) {
  std::vector<bool> Seen(Next.size());
  std::vector<StatementId> Work = {From};
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    for (StatementId To : Next[S])
      if (!Seen[To]) {
        Seen[To] = true;
        Work.push_back(To);
      }
  }
  return Seen;
}

class Finder {
public:
  Finder(const Program &P, const PlanOptions &O) : P(P), O(O) {}

  void find(const Violation &V) {
    if (V.Broken == Rule::Atomics || cheapestRemedy(V) == Remedy::Impossible)
      return;
    const Thread &T = P.Threads[V.Second.Thread];
    bool Awaited = isNic(V.First.Kind);
    if (!Awaited)
      add(V, Remedy::MemoryFence, V.Second.Statement, Stand::Before);
    if (V.First.Pair == None && Awaited)
      return;
    auto Waits = [&](StatementId At, Stand How, unsigned Level = 0) {
      for (Remedy What : {Remedy::Poll, Remedy::PolledGet})
        add(V, Awaited ? What : Remedy::MemoryFence, At, How, Level);
    };
    Around &A = around(V.Second.Thread);
    unsigned Count = O.Junctions || !Awaited ? 0 : roundsOf(V);
    auto First = [&](bool Each) {
      return Count < 2 ? std::vector<StatementId>()
                       : firstRounds(T, V.First.Statement, V.Second.Statement, Each);
    };
    if (auto Found = First(true); Found.size() > 1)
      Waits(Found.front(), Stand::Unrolled, 1);
    if (auto Found = First(false); Found.empty())
      Count = 0;
    else
      Waits(Found.front(), Stand::Unrolled);
    Waits(V.Second.Statement, Stand::Before);
    if (!O.Junctions && Awaited)
      furtherIn(V);
    const std::vector<StatementId> &Between = between(V, A);
    // Around a loop, each round has a buffer of its own only where it is not always the same one.
    bool Moves = V.First.Location.Somewhere || V.Second.Location.Somewhere;
    if (!O.Junctions && Awaited && V.Broken == Rule::LocalRace &&
        (after(A, V.Second.Statement)[V.First.Statement] ? Moves : Count > 1))
      counted(V, A, Between, First(true), First(false));
    if (A.Branches || !O.Junctions)
      Waits(V.First.Statement, Stand::Behind);
    if (!O.Junctions)
      for (unsigned Level = sharedLevel(V); Level > 0; --Level)
        Waits(V.First.Statement, Stand::BehindCall, Level);
    if (StatementId Head = O.Junctions || !Awaited ? None : headBetween(V, A, Between); Head != None)
      Waits(Head, Stand::Entering);
    // What stands there is the same for all pairs of the queue pair.
    std::vector<bool> &Offered = A.Offered[{Awaited, V.First.Pair}];
    Offered.resize(T.Statements.size());
    for (StatementId S : Between) {
      if (Offered[S])
        continue;
      Offered[S] = S != V.Second.Statement;
      const Statement &Here = T.Statements[S];
      if (Awaited && isRequest(Here.Op.Kind) && Here.Op.Pair == V.First.Pair && !Here.Op.Fenced)
        fences(V, S);
      // A call of other code: the last place where the queue pair is there for certain may be before it.
      bool Calls = Here.Op.Outside || (Here.Op.Kind == MemoryFence && Here.Where.known());
      if (!O.Junctions && Awaited && Calls && S != V.Second.Statement)
        Waits(S, Stand::Before);
      if (!O.Junctions || Here.Op.Kind != Nop)
        continue;
      Waits(S, Stand::Before);
      if (headsLoop(T, A, S))
        Waits(S, Stand::Entering);
    }
  }

  std::vector<PlannedEdit> take() { return std::move(Found); }

private:
  /// A thread's graph both ways, and what is asked of it again and again.
  struct Around {
    std::vector<std::vector<StatementId>> Next, Previous;
    bool Branches = false;
    std::map<StatementId, std::vector<bool>> After, Before, Loops;
    std::map<std::pair<StatementId, StatementId>, std::vector<StatementId>> Between;
    std::map<std::pair<bool, QueuePairId>, std::vector<bool>> Offered;
  };

  static const std::vector<bool> &after(Around &A, StatementId S) {
    std::vector<bool> &Known = A.After[S];
    return Known.empty() ? Known = reachable(A.Next, S) : Known;
  }
  static const std::vector<bool> &before(Around &A, StatementId S) {
    std::vector<bool> &Known = A.Before[S];
    return Known.empty() ? Known = reachable(A.Previous, S) : Known;
  }
  static const std::vector<bool> &loopAt(const Thread &T, Around &A, StatementId Head) {
    std::vector<bool> &Known = A.Loops[Head];
    return Known.empty() ? Known = loopOf(T, Head) : Known;
  }

  /// The most of these statements that one way through the thread passes, once around each loop.
  static unsigned inTurn(const Around &A, StatementId Entry, const std::vector<StatementId> &Marked) {
    enum : std::uint8_t { New, Open, Done };
    std::vector<std::uint8_t> State(A.Next.size(), New);
    std::vector<unsigned> Most(A.Next.size());
    std::vector<StatementId> Stack = {Entry};
    while (!Stack.empty()) {
      StatementId S = Stack.back();
      if (State[S] == New) {
        State[S] = Open;
        for (StatementId To : A.Next[S])
          if (State[To] == New)
            Stack.push_back(To);
        continue;
      }
      Stack.pop_back();
      if (State[S] == Done)
        continue;
      State[S] = Done;
      for (StatementId To : A.Next[S])
        if (State[To] == Done) // else it leads back
          Most[S] = std::max(Most[S], Most[To]);
      Most[S] += std::find(Marked.begin(), Marked.end(), S) != Marked.end();
    }
    return Most[Entry];
  }

  Around &around(ThreadIndex T) {
    auto [Known, New] = Threads.try_emplace(T);
    Around &A = Known->second;
    if (New) {
      A.Previous = predecessors(P.Threads[T]);
      for (const Statement &S : P.Threads[T].Statements) {
        A.Next.push_back(S.Successors);
        A.Branches |= S.Successors.size() > 1;
      }
    }
    return A;
  }

  /// Statements on ways from the earlier to the later operation, the later one included.
  const std::vector<StatementId> &between(const Violation &V, Around &A) {
    auto [Known, New] = A.Between.try_emplace({V.First.Statement, V.Second.Statement});
    std::vector<StatementId> &Found = Known->second;
    if (!New)
      return Found;
    if (!A.Branches) {
      for (StatementId S = V.First.Statement; S != V.Second.Statement && !A.Next[S].empty();)
        Found.push_back(S = A.Next[S].front());
      return Found;
    }
    const std::vector<bool> &After = after(A, V.First.Statement);
    const std::vector<bool> &Before = before(A, V.Second.Statement);
    for (StatementId S = 0; S < After.size(); ++S)
      if (After[S] && (Before[S] || S == V.Second.Statement))
        Found.push_back(S);
    return Found;
  }

  /// Entered at its head, from outside.
  static bool headsLoop(const Thread &T, Around &A, StatementId S) {
    if (A.Previous[S].size() < 2)
      return false;
    const std::vector<bool> &In = loopAt(T, A, S);
    auto IsOuter = [&](StatementId X) { return !In[X]; };
    const auto &From = A.Previous[S];
    return std::any_of(From.begin(), From.end(), IsOuter) && !std::all_of(From.begin(), From.end(), IsOuter);
  }

  /// The head of the outermost loop that has the later operation in it, but not the earlier one.
  StatementId headBetween(const Violation &V, Around &A, const std::vector<StatementId> &Between) const {
    const Thread &T = P.Threads[V.Second.Thread];
    StatementId Found = None;
    for (StatementId S : Between)
      if (headsLoop(T, A, S) &&
          (Found == None || T.Statements[S].LoopDepth < T.Statements[Found].LoopDepth)) {
        const std::vector<bool> &In = loopAt(T, A, S);
        if (In[V.Second.Statement] && !In[V.First.Statement])
          Found = S;
      }
    return Found;
  }

  /// Where a later round of a loop uses the buffer of an earlier one: a wait for all but the rounds that have
  /// buffers of their own, also before an inner loop that fills one of them and may have been unrolled (Each,
  /// Once: firstRounds), or behind the post where the queue pair has a name only there; or one before each
  /// run of an inner loop, whose own rounds use one buffer each.
  void counted(const Violation &V, Around &A, const std::vector<StatementId> &Between,
               const std::vector<StatementId> &Each, const std::vector<StatementId> &Once) {
    const Thread &T = P.Threads[V.Second.Thread];
    const StatementId Filling = headBetween(V, A, Between);
    const bool FillsInLoop = Filling != None && T.Statements[Filling].LoopDepth > 1;
    for (unsigned Count : O.Rounds(V)) {
      auto Waits = [&](StatementId At, Stand How, unsigned Level = 0) {
        return add(V, Remedy::Poll, At, How, Level, true, Count - 1);
      };
      bool Written =
          (FillsInLoop && Waits(Filling, Stand::Entering)) || Waits(V.Second.Statement, Stand::Before);
      for (unsigned Level = sharedLevel(V); !Written && Level > 0; --Level)
        Written = Waits(V.First.Statement, Stand::BehindCall, Level);
      Written = Written || Waits(V.First.Statement, Stand::Behind);
      if (Each.size() > 1)
        add(V, Remedy::Poll, Each.front(), Stand::Unrolled, 1, true, Count - 1);
      if (!Once.empty())
        add(V, Remedy::Poll, Once.front(), Stand::Unrolled, 0, true, Count - 1);
    }
    for (StatementId S : Between)
      if (T.Statements[S].LoopDepth > 1 && headsLoop(T, A, S))
        if (const std::vector<bool> &In = loopAt(T, A, S); In[V.First.Statement] && In[V.Second.Statement])
          add(V, Remedy::Poll, S, Stand::Entering, 0, true);
  }

  bool isCopy(const Thread &T, StatementId Of, StatementId S) const {
    return T.Statements[S].Op.Kind == T.Statements[Of].Op.Kind &&
           T.Statements[S].Where == T.Statements[Of].Where;
  }

  /// How many rounds a loop of the source may have become copies of the later operation for.
  unsigned roundsOf(const Violation &V) const {
    const Thread &T = P.Threads[V.Second.Thread];
    unsigned Count = 0;
    for (StatementId S = 0; S < T.Statements.size(); ++S)
      Count += isCopy(T, V.Second.Statement, S);
    return T.Statements[V.Second.Statement].Where.known() ? Count : 0;
  }

  /// On the request where it is posted, or where a caller, which may be the only one, hands it over.
  void fences(const Violation &V, StatementId S) {
    std::size_t Levels = P.Threads[V.Second.Thread].Statements[S].Where.Chain.size();
    for (unsigned Level = 0; Level == 0 || (!O.Junctions && Level < Levels); ++Level)
      for (bool OnAll : {false, true})
        if (!OnAll || (!O.Junctions && hasCompanions(P.Threads[V.Second.Thread], S)))
          add(V, Remedy::RemoteFence, S, Stand::On, Level, false, 0, OnAll);
  }

  /// Does the same call post others, or the same one in a loop that is unrolled?
  static bool hasCompanions(const Thread &T, StatementId S) {
    const Statement &Here = T.Statements[S];
    auto IsPosted = [&](const Statement &X) { return isRequest(X.Op.Kind) && X.Where == Here.Where; };
    return Here.Where.known() && std::count_if(T.Statements.begin(), T.Statements.end(), IsPosted) > 1;
  }

  /// Where nothing can be written before the call that leads to the later operation: one call further in.
  void furtherIn(const Violation &V) {
    const std::vector<Place> &Chain = P.Threads[V.Second.Thread].Statements[V.Second.Statement].Where.Chain;
    if (Chain.size() < 2 || placesOfPair(P, V.First, V.Second).second == Chain.front())
      return;
    for (Remedy What : {Remedy::Poll, Remedy::PolledGet})
      if (auto IsThere =
              [&](const PlannedEdit &E) {
                return E.What == What && E.How == Stand::Before && E.At == V.Second.Statement &&
                       E.Level == 0 && E.Why.Second.Thread == V.Second.Thread &&
                       E.Why.First.Pair == V.First.Pair;
              };
          std::none_of(Found.begin(), Found.end(), IsThere))
        add(V, What, V.Second.Statement, Stand::Before, 1);
  }

  /// Of the calls that the earlier operation came through, the one that the later operation did not share, in
  /// a function that it did.
  unsigned sharedLevel(const Violation &V) const {
    const std::vector<Place> &Chain = P.Threads[V.First.Thread].Statements[V.First.Statement].Where.Chain;
    auto At = std::find(Chain.begin(), Chain.end(), placesOfPair(P, V.First, V.Second).first);
    return At == Chain.end() ? 0 : At - Chain.begin();
  }

  /// Whether it can be written.
  bool add(const Violation &V, Remedy What, StatementId At, Stand How, unsigned Level = 0,
           bool Counts = false, unsigned Leaves = 0, bool OnAll = false) {
    QueuePairId Pair = What < Remedy::Poll ? None : V.First.Pair;
    auto [Known, New] =
        Seen.insert({{What, V.Second.Thread, At, How, Level, Pair, Counts, Leaves, OnAll}, false});
    if (!New)
      return Known->second;
    PlannedEdit E{What, V, At, How, Level};
    E.Counts = Counts;
    E.Leaves = Leaves;
    E.OnAll = OnAll;
    std::vector<Copy> Copies = copiesOf(P, E);
    std::map<std::pair<std::string, std::vector<std::string>>, std::vector<Copy>> Places;
    for (const Copy &C : Copies) {
      std::vector<std::string> Calls;
      for (const Place &Call : P.Threads[C.Thread].Statements[C.At].Where.Chain)
        Calls.push_back(Call.File + ":" + std::to_string(Call.Line) + ":" + std::to_string(Call.Column));
      Places[{P.Threads[C.Thread].Name, Calls}].push_back(C);
    }
    for (const auto &[Context, Same] : Places) {
      double Times = timesDone(E, Same);
      E.Cost += (Leaves ? O.Prices.WaitAllBut : O.Prices.of(What)) * Times;
      E.Beside += std::min(O.Prices.Further, O.Prices.of(What)) * Times;
    }
    const bool Written = O.Editable(E);
    // Once the edit is there, it is there in all of its copies.
    for (const Copy &C : Copies)
      Seen.insert(
          {{What, C.Thread, C.At, How, Level, What < Remedy::Poll ? None : C.Pair, Counts, Leaves, OnAll},
           Written});
    Known->second = Written;
    if (!Written)
      return false;
    if (Pair != None && !Counts)
      E.Stands = O.Stands ? O.Stands(E) : O.Junctions ? standsAt(E) : std::string();
    Found.push_back(std::move(E));
    return true;
  }

  static std::string standsAt(const PlannedEdit &E) {
    return std::to_string(E.Why.Second.Thread) + " " + std::to_string(E.At) + " " +
           std::to_string(unsigned(E.How));
  }

  /// How often one place of the source comes about, all copies of which are given. A loop's first round may
  /// stand apart from the others; copies that come one behind the other are the rounds of a loop of the
  /// source.
  double timesDone(const PlannedEdit &E, const std::vector<Copy> &Same) {
    std::map<ThreadIndex, std::map<unsigned, std::vector<StatementId>>> ByDepth;
    for (const Copy &C : Same) {
      unsigned Depth = P.Threads[C.Thread].Statements[C.At].LoopDepth - (E.How == Stand::Entering);
      ByDepth[C.Thread][Depth].push_back(C.At);
    }
    double Most = 0;
    for (const auto &[T, Depths] : ByDepth) {
      const auto &[Depth, Deepest] = *Depths.rbegin();
      Most = std::max(Most, std::min(rounds(E, T, Deepest), 10u) * std::pow(10, Depth));
    }
    return Most;
  }

  /// Of the loops that the compiler unrolled around the place. One of a function that is called there is not
  /// around it; then the earlier operation, of which each round has one, says how many there are.
  unsigned rounds(const PlannedEdit &E, ThreadIndex T, const std::vector<StatementId> &Copies) {
    if (Copies.size() < 2)
      return 1;
    const Thread &Body = P.Threads[T];
    unsigned Count = inTurn(around(T), Body.Entry, Copies);
    if (E.How != Stand::Before || placesOf(P, E).second == Body.Statements[Copies[0]].Where.Chain.front())
      return Count;
    const Thread &Own = P.Threads[E.Why.First.Thread];
    std::vector<StatementId> Posts;
    for (StatementId S = 0; S < Own.Statements.size(); ++S)
      if (isCopy(Own, E.Why.First.Statement, S) && Own.Statements[S].Op.Pair == E.Why.First.Pair)
        Posts.push_back(S);
    return std::min(Count, inTurn(around(E.Why.First.Thread), Own.Entry, Posts));
  }

  const Program &P;
  const PlanOptions &O;
  std::vector<PlannedEdit> Found;
  std::map<ThreadIndex, Around> Threads;
  /// Whether it could be written.
  std::map<std::tuple<Remedy, ThreadIndex, StatementId, Stand, unsigned, QueuePairId, bool, unsigned, bool>,
           bool>
      Seen;
};

} // namespace

std::vector<PlannedEdit> candidates(const Program &P, const std::vector<Violation> &Found,
                                    const PlanOptions &O) {
  Finder F(P, O);
  for (const Violation &V : Found)
    F.find(V);
  return F.take();
}

} // namespace rdma
