#include "analyzer/core/Reasons.h"

#include "analyzer/core/Conditions.h"
#include "analyzer/core/LockWord.h"
#include "analyzer/core/Streams.h"
#include "ir/SubEvents.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace rdma {
namespace {

using enum OperationKind;

auto keyOf(const EventRef &E) {
  const Access &A = E.Location;
  return std::tuple(E.Thread, E.Statement, E.Kind, A.Target, A.Begin, A.End, E.Pair);
}
using Key = decltype(keyOf(std::declval<EventRef>()));

bool readsMemory(OperationKind K) { return K == Load || K == Assume || K == LocalCas || K == LocalRmw; }

/// A violation that may hang on a lost fact, by its place in one of the lists.
struct Open {
  Violations *In;
  unsigned At;
  Violations::Pair pair() const { return In->pairs()[At]; }
};

/// What earlier events have in common as far as lost facts go.
struct Earlier {
  ThreadIndex Thread;
  QueuePairId Pair; ///< None: an access of the CPU
  bool Arrives;     ///< a write to another node: a completion alone does not end it
  LostFactId Doubt; ///< what is not known of the request itself: any poll may be its
  auto operator<=>(const Earlier &) const = default;
};

class Reasons {
public:
  Reasons(const Program &P, Verdict &V, Model M) : P(P), V(V), M(M) {}

  void run() {
    V.Facts = P.LostFacts;
    for (Violation &X : V.AtomicityBreaks)
      if (!restsOnGuess(P, X))
        if (X.RestsOn = lossIn(X); X.RestsOn == None)
          X.RestsOn = restsOnValue(X);
    std::map<Earlier, std::vector<Open>> Unexplained;
    for (auto *List : {&V.LocalRaces, &V.OpenCycles})
      for (unsigned I = 0; I < List->size(); ++I) {
        const Violation X = (*List)[I];
        if (restsOnGuess(P, X) || isShown(X))
          continue;
        if (LostFactId Fact = lossIn(X); Fact != None)
          List->setReason(I, Fact);
        else
          Unexplained[earlier(X)].push_back({List, I});
      }
    for (auto &[What, Some] : Unexplained)
      judge(What, Some);
    for (auto &[Cut, Some] : Waiting)
      decideAnew(Cut.first, Cut.second, Some);
    decideInTurn();
    decideAwaited();
  }

private:
  const Statement &at(const EventRef &E) const { return P.Threads[E.Thread].Statements[E.Statement]; }

  Earlier earlier(const Violation &X) const {
    bool Arrives = X.First.Kind == EventKind::nrW || X.First.Kind == EventKind::narW;
    bool Nic = isNic(X.First.Kind);
    return {X.First.Thread, Nic ? X.First.Pair : None, Arrives, Nic ? at(X.First).Lost : None};
  }

  bool isShown(const Violation &X) const {
    SeenOpen Pair{X.First.Thread, at(X.First).Source, at(X.Second).Source};
    return X.Broken == Rule::LocalRace && X.First.Thread == X.Second.Thread && Pair.Request != None &&
           std::binary_search(P.ShownOpen.begin(), P.ShownOpen.end(), Pair);
  }

  /// A fact without which there is no saying that the events go wrong, whatever comes between them.
  LostFactId lossIn(const Violation &X) {
    LostFactId Fact = X.Broken == Rule::LocalRace ? restsOnOperation(X) : restsOnRequests(X);
    if (Fact == None)
      Fact = restsOnAwaited(X);
    if (Fact == None)
      Fact = restsOnPair(X);
    if (Fact == None)
      Fact = restsOnFinding(X);
    for (auto [A, B] : conflictsOf(X))
      if (Fact == None)
        Fact = restsOnBytes(*A, *B);
    return Fact;
  }

  /// The two conflict only if the request is what it is not known to be.
  LostFactId restsOnOperation(const Violation &X) const {
    for (auto [Mine, Other] : {std::pair(&X.First, &X.Second), std::pair(&X.Second, &X.First)})
      if (isNic(Mine->Kind) && at(*Mine).Lost != None && writes(Mine->Kind) && !writes(Other->Kind))
        return at(*Mine).Lost;
    return None;
  }

  /// What a request is that is not known decides which others can see it, and in which order.
  LostFactId restsOnRequests(const Violation &X) const {
    std::vector<const EventRef *> All = {&X.First, &X.Second};
    for (const EventRef &E : X.Observers)
      All.push_back(&E);
    for (const EventRef *E : All)
      if (isNic(E->Kind) && at(*E).Lost != None)
        return at(*E).Lost;
    return None;
  }

  /// Who waits for a value that is written behind the earlier event only has that behind it, too.
  LostFactId restsOnAwaited(const Violation &X) const {
    return X.Broken == Rule::CriticalCycle && X.Second.Kind == EventKind::lR ? at(X.Second).Lost : None;
  }

  /// On one queue pair the two would be in order, and which queue pair they are on is not known.
  LostFactId restsOnPair(const Violation &X) const {
    if (X.Broken == Rule::Atomics || !isNic(X.First.Kind) || !isNic(X.Second.Kind) ||
        X.First.Pair == X.Second.Pair || observedOrder(M, X.First.Kind, X.Second.Kind) == Order::None)
      return None;
    LostFactId Earlier = at(X.First).Lost;
    return Earlier != None ? Earlier : at(X.Second).Lost;
  }

  /// A store and a later load of the CPU, and what others do with both comes only behind completions of
  /// requests that the thread has posted, or the other way round: the memory may be what came with a
  /// completion, a request's own object, and the request may be posted behind the two.
  LostFactId restsOnFinding(const Violation &X) {
    auto isCpu = [](const EventRef &E) { return !isNic(E.Kind); };
    if (X.Broken != Rule::CriticalCycle || X.Observers.empty() || !isCpu(X.First) || !isCpu(X.Second) ||
        !std::all_of(X.Observers.begin(), X.Observers.end(), isCpu))
      return None;
    const ThreadIndex Mine = X.First.Thread, Other = X.Observers.front().Thread;
    auto isBehind = [&](const EventRef &E) { return behindPoll(E.Thread)[E.Statement]; };
    if (takesFor(Other, Mine) && std::all_of(X.Observers.begin(), X.Observers.end(), isBehind))
      return beside(Other, at(X.Second));
    return takesFor(Mine, Other) && isBehind(X.First) ? beside(Mine, at(X.Second)) : None;
  }

  /// Does a thread take completions that another, which posts, leaves to it?
  bool takesFor(ThreadIndex Taker, ThreadIndex Poster) const {
    const auto &All = P.Threads[Taker].Statements;
    return Taker != Poster && P.Threads[Taker].Home == P.Threads[Poster].Home &&
           std::any_of(All.begin(), All.end(), [&](const Statement &S) { return takes(S); }) &&
           std::any_of(P.QueuePairs.begin(), P.QueuePairs.end(), [&](const QueuePair &Q) {
             return Q.Owner == Poster && !pollsOwn(&Q - P.QueuePairs.data());
           });
  }

  /// Per statement: every way there from the beginning of the thread takes completions.
  const std::vector<bool> &behindPoll(ThreadIndex N) {
    auto [Found, New] = BehindPoll.try_emplace(N);
    if (!New)
      return Found->second;
    const Thread &T = P.Threads[N];
    std::vector<bool> &Behind = Found->second;
    Behind.assign(T.Statements.size(), true);
    std::vector<StatementId> Work{T.Entry};
    Behind[T.Entry] = false;
    while (!Work.empty()) {
      const Statement &S = T.Statements[Work.back()];
      Work.pop_back();
      if (takes(S))
        continue;
      for (StatementId Next : S.Successors)
        if (Behind[Next]) {
          Behind[Next] = false;
          Work.push_back(Next);
        }
    }
    return Behind;
  }

  /// Accesses that are at odds only if they share a byte.
  static std::vector<std::pair<const EventRef *, const EventRef *>> conflictsOf(const Violation &X) {
    if (X.Broken == Rule::LocalRace || X.Broken == Rule::Atomics)
      return {{&X.First, &X.Second}};
    if (X.Observers.empty())
      return {};
    std::vector<std::pair<const EventRef *, const EventRef *>> All = {{&X.Second, &X.Observers.front()},
                                                                      {&X.Observers.back(), &X.First}};
    for (std::size_t I = 0; I + 1 < X.Observers.size(); ++I)
      if (X.Observers[I].Thread != X.Observers[I + 1].Thread)
        All.push_back({&X.Observers[I], &X.Observers[I + 1]});
    return All;
  }

  /// The two use the same bytes on some executions only, as far as is known.
  LostFactId restsOnBytes(const EventRef &First, const EventRef &Second) {
    const Access &A = First.Location, &B = Second.Location;
    if (A.Target != B.Target)
      return None;
    auto holds = [](const Access &Whole, const Access &Part) {
      return !Whole.Somewhere && Whole.Begin <= Part.Begin && Part.End <= Whole.End;
    };
    bool Surely = (!A.Somewhere && !B.Somewhere) || holds(A, B) || holds(B, A);
    if (Surely && !P.Objects[A.Target].Several)
      return None;
    auto [Known, New] = PartOf.try_emplace(A.Target, V.Facts.size());
    if (New)
      V.Facts.push_back({at(Second).Where,
                         (Surely ? "which block of '" : "which part of '") + describe(P, A) +
                             "' is used here, and which is in use by a request, is not known",
                         "to tell: a constant index, or a wait for all requests on it before this"});
    return Known->second;
  }

  /// A lock word is given back by this write, if it writes what the word is while nobody holds the lock.
  LostFactId restsOnValue(const Violation &X) {
    if (!Decided)
      Decided.emplace(P, M);
    const Access &Word = X.First.Location;
    auto [Lock, First] = Locks.try_emplace(std::tuple(Word.Target, Word.Begin, Word.End), *Decided, Word);
    if (!Lock->second.mayGiveBack(X.Second))
      return None;
    auto [Known, New] = GivenBack.try_emplace(keyOf(X.Second), V.Facts.size());
    if (New && Lock->second.swapsUnknown())
      V.Facts.push_back(
          {at(X.First).Where,
           "what this compare-and-swap puts into the lock word '" + describe(P, Word) + "' is not known",
           "to tell: swap in a constant that is not the value of the free lock"});
    else if (New)
      V.Facts.push_back({at(X.Second).Where,
                         "what this WRITE puts into the lock word '" + describe(P, Word) + "' is not known",
                         "to tell: store the value of the free lock into what is sent, in this function"});
    return Known->second;
  }

  /// Does the thread take the completions of the queue pair's queue, as far as is known?
  bool pollsOwn(QueuePairId Pair) const {
    const QueuePair &Q = P.QueuePairs[Pair];
    const auto &All = P.Threads[Q.Owner].Statements;
    return Q.Queue != None && std::any_of(All.begin(), All.end(), [&](const Statement &S) {
             return (S.Op.Kind == Poll && S.Op.Queue == Q.Queue) ||
                    (S.Op.Kind == Nop && S.Lost != None && !P.LostFacts[S.Lost].Beside &&
                     P.LostFacts[S.Lost].Queue == Q.Queue);
           });
  }

  /// Does it take completions, or may it, of a queue that is not known?
  bool takes(const Statement &S) const {
    return S.Op.Kind == Poll || (S.Op.Kind == Nop && S.Lost != None && !P.LostFacts[S.Lost].Everything &&
                                 !P.LostFacts[S.Lost].Beside);
  }

  /// Another thread of the node that polls: it may tell this one what is complete.
  ThreadIndex pollerBeside(const Earlier &What) const {
    if (What.Pair == None || pollsOwn(What.Pair))
      return None;
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T) {
      const Thread &Other = P.Threads[T];
      bool Polls = std::any_of(Other.Statements.begin(), Other.Statements.end(),
                               [&](const Statement &S) { return takes(S); });
      if (T != What.Thread && Other.Home == P.Threads[What.Thread].Home && Polls)
        return T;
    }
    return None;
  }

  /// A READ or an atomic on the queue pair, whose completion would push the write into memory.
  bool pushes(QueuePairId Pair) const {
    const auto &All = P.Threads[P.QueuePairs[Pair].Owner].Statements;
    return std::any_of(All.begin(), All.end(),
                       [&](const Statement &S) { return S.Op.Pair == Pair && fetches(S.Op.Kind); });
  }

  /// Requests of the thread that report to a queue that is not known: each poll may have taken one of theirs,
  /// and so counts for no other.
  LostFactId reportsAnywhere(ThreadIndex T) const {
    for (const QueuePair &Q : P.QueuePairs)
      if (Q.Owner == T && Q.Queue == None && Q.NoQueue != None)
        return Q.NoQueue;
    return None;
  }

  /// Per statement, the fact that may order the earlier events before what follows it; None: nothing is lost.
  std::vector<LostFactId> doubts(const Earlier &What) {
    const Thread &T = P.Threads[What.Thread];
    std::vector<LostFactId> At(T.Statements.size(), None);
    bool Completes = What.Pair != None && (!What.Arrives || pushes(What.Pair));
    CompletionQueueId Queue = What.Pair == None || What.Doubt != None ? None : P.QueuePairs[What.Pair].Queue;
    LostFactId NoQueue =
        What.Pair == None || What.Doubt != None ? What.Doubt : P.QueuePairs[What.Pair].NoQueue;
    ThreadIndex Beside = Completes ? pollerBeside(What) : None;
    const LostFactId Elsewhere = reportsAnywhere(What.Thread);
    for (StatementId S = 0; S < T.Statements.size(); ++S) {
      const Statement &Here = T.Statements[S];
      if (Here.Op.Kind == Nop && Here.Lost != None) {
        const LostFact &Fact = P.LostFacts[Here.Lost];
        bool Takes = Completes && (Queue == None || Fact.Queue == None || Fact.Queue == Queue);
        if (Fact.Everything || Takes)
          At[S] = Takes && !Fact.Everything && Queue == None && NoQueue != None ? NoQueue : Here.Lost;
      } else if (Here.Op.Kind == Poll && Completes && Queue == None && NoQueue != None) {
        At[S] = NoQueue;
      } else if (Here.Op.Kind == Poll && Completes && Queue != None && Here.Op.Queue == Queue) {
        At[S] = Elsewhere;
      } else if (Beside != None && hears(Here.Op, Beside)) {
        At[S] = beside(Beside, Here);
      }
    }
    return At;
  }

  bool hears(const Operation &Op, ThreadIndex From) const {
    const auto &All = P.Threads[From].Statements;
    return readsMemory(Op.Kind) && std::any_of(All.begin(), All.end(), [&](const Statement &S) {
             return isCpuWrite(S.Op.Kind) && mayOverlap(P, S.Op.Local, Op.Local);
           });
  }

  LostFactId beside(ThreadIndex T, const Statement &Here) {
    auto [Known, New] = ToldBy.try_emplace(T, V.Facts.size());
    if (New)
      V.Facts.push_back({Here.Where,
                         "thread '" + P.Threads[T].Name +
                             "' takes completions; which of them it has taken when this is read is not known",
                         "to tell: poll in the thread that posts"});
    return Known->second;
  }

  /// The program that decides every doubt for order: the ways through a doubt end there, and what follows
  /// begins anew.
  Program favoured(ThreadIndex Thread, const std::vector<bool> &Ends) const {
    Program Favoured = P;
    rdma::Thread &T = Favoured.Threads[Thread];
    StatementId Begin = T.Statements.size();
    std::set<StatementId> Anew{T.Entry};
    for (StatementId S = 0; S < Begin; ++S)
      if (Ends[S]) {
        Anew.insert(T.Statements[S].Successors.begin(), T.Statements[S].Successors.end());
        T.Statements[S].Successors.clear();
      }
    T.Statements.push_back({});
    T.Statements[Begin].Successors.assign(Anew.begin(), Anew.end());
    T.Entry = Begin;
    return Favoured;
  }

  /// The doubt that a way from the earlier statement to the later meets first.
  LostFactId nearest(const EventRef &From, const std::vector<bool> &Reaches,
                     const std::vector<LostFactId> &Doubts) const {
    const Thread &T = P.Threads[From.Thread];
    std::vector<bool> Seen(T.Statements.size());
    std::vector<StatementId> Work{From.Statement};
    for (std::size_t I = 0; I < Work.size(); ++I)
      for (StatementId Next : T.Statements[Work[I]].Successors)
        if (!Seen[Next] && Reaches[Next]) {
          Seen[Next] = true;
          if (Doubts[Next] != None)
            return Doubts[Next];
          Work.push_back(Next);
        }
    return None;
  }

  /// Statements from which there is a way to this one.
  static std::vector<bool> before(const Thread &T, StatementId End) {
    std::vector<std::vector<StatementId>> Predecessors(T.Statements.size());
    for (StatementId S = 0; S < T.Statements.size(); ++S)
      for (StatementId Next : T.Statements[S].Successors)
        Predecessors[Next].push_back(S);
    std::vector<bool> Reaches(T.Statements.size());
    std::vector<StatementId> Work{End};
    Reaches[End] = true;
    while (!Work.empty()) {
      StatementId S = Work.back();
      Work.pop_back();
      for (StatementId Earlier : Predecessors[S])
        if (!Reaches[Earlier]) {
          Reaches[Earlier] = true;
          Work.push_back(Earlier);
        }
    }
    return Reaches;
  }

  /// Where ways end, for earlier events that share it.
  using Cut = std::pair<ThreadIndex, std::vector<bool>>;
  struct Judged {
    std::vector<Open> Some;
    std::vector<LostFactId> Doubts;
  };

  void judge(const Earlier &What, std::vector<Open> &Some) {
    std::vector<LostFactId> Doubts = doubts(What);
    std::vector<bool> Ends;
    for (LostFactId F : Doubts)
      Ends.push_back(F != None);
    if (std::find(Ends.begin(), Ends.end(), true) != Ends.end())
      Waiting[{What.Thread, std::move(Ends)}].push_back({std::move(Some), std::move(Doubts)});
  }

  /// The pairs of a list about a program like this one, in the numbers of this one, sorted.
  std::vector<std::uint64_t> renumbered(const Violations &Other) {
    std::vector<unsigned> Here(Other.empty() ? 0 : Other.events().size(), None);
    for (unsigned N = 0; N < Here.size(); ++N)
      if (auto Found = Numbers.find(keyOf(Other.events()[N])); Found != Numbers.end())
        Here[N] = Found->second;
    std::vector<std::uint64_t> Pairs;
    for (const Violations::Pair &X : Other.pairs())
      if (Here[X.First] != None && Here[X.Second] != None)
        Pairs.push_back(Violations::Pair{Here[X.First], Here[X.Second]}.order());
    std::sort(Pairs.begin(), Pairs.end());
    return Pairs;
  }
  /// Of the events of this program that are alike, the first.
  void number(const EventNumbers &Events) {
    for (unsigned N = 0; N < Events.size(); ++N)
      Numbers.try_emplace(keyOf(Events[N]), N);
  }

  void decideAnew(ThreadIndex T, const std::vector<bool> &Ends, const std::vector<Judged> &All) {
    const Program Favoured = favoured(T, Ends);
    const Analysis A(Favoured, M);
    if (Numbers.empty())
      number(All.front().Some.front().In->events());
    const std::map<const Violations *, std::vector<std::uint64_t>> StillOpen = {
        {&V.LocalRaces, renumbered(localRaces(A))}, {&V.OpenCycles, renumbered(openCycles(A))}};
    for (const Judged &J : All) {
      std::map<std::pair<StatementId, StatementId>, LostFactId> Nearest;
      std::map<StatementId, std::vector<bool>> Before;
      for (const Open &X : J.Some) {
        const EventNumbers &Events = X.In->events();
        const EventRef &First = Events[X.pair().First], &Second = Events[X.pair().Second];
        const Violations::Pair Alike{Numbers.at(keyOf(First)), Numbers.at(keyOf(Second))};
        const std::vector<std::uint64_t> &Pairs = StillOpen.at(X.In);
        if (std::binary_search(Pairs.begin(), Pairs.end(), Alike.order()))
          continue;
        auto [Fact, New] = Nearest.try_emplace({First.Statement, Second.Statement});
        if (New) {
          auto [Reaches, Unknown] = Before.try_emplace(Second.Statement);
          if (Unknown)
            Reaches->second = before(P.Threads[T], Second.Statement);
          Fact->second = nearest(First, Reaches->second, J.Doubts);
        }
        X.In->setReason(X.At, Fact->second);
      }
    }
  }

  bool hangsOnMessage(const Violation &X) const {
    auto Is = [&](const EventRef &E) { return isMessage(P, E.Location.Target); };
    return Is(X.First) || Is(X.Second) || std::any_of(X.Observers.begin(), X.Observers.end(), Is);
  }

  /// Pairs that are open only if messages through a socket are received before their turn.
  void decideInTurn() {
    std::vector<unsigned> Some;
    bool Any = false;
    for (ObjectId O = 0; O < P.Objects.size(); ++O)
      Any |= isMessage(P, O);
    if (!Any)
      return;
    for (unsigned I = 0; I < V.OpenCycles.size(); ++I)
      if (V.OpenCycles.pairs()[I].RestsOn == None && !restsOnGuess(P, V.OpenCycles[I]) &&
          hangsOnMessage(V.OpenCycles[I]))
        Some.push_back(I);
    std::optional<Program> Numbered = Some.empty() ? std::nullopt : inTurn(P);
    if (!Numbered)
      return;
    // The statements are the same, and so are the numbers of the events.
    std::set<std::uint64_t> StillOpen;
    const Analysis A(*Numbered, M);
    const Violations Open = openCycles(A);
    for (const Violations::Pair &X : Open.pairs())
      StillOpen.insert(X.order());
    LostFactId Fact = None;
    for (unsigned I : Some) {
      const Violation X = V.OpenCycles[I];
      if (StillOpen.count(V.OpenCycles.pairs()[I].order()))
        continue;
      if (Fact == None) {
        Fact = V.Facts.size();
        V.Facts.push_back(
            {at(X.Second).Where,
             "which of the messages through sockets and pipes is received where is not followed",
             "to tell: announce it by a WRITE or a SEND on the queue pair"});
      }
      V.OpenCycles.setReason(I, Fact);
    }
  }

  /// What others may see of pairs with a wait for a value between them: it may say that the earlier event is
  /// over. It says nothing of what the NIC does in the thread's own memory.
  void decideAwaited() {
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T) {
      std::vector<LostFactId> Awaited;
      std::vector<bool> Ends;
      for (const Statement &S : P.Threads[T].Statements) {
        Awaited.push_back(isCpuRead(S) ? S.Lost : None);
        Ends.push_back(Awaited.back() != None);
      }
      if (std::find(Ends.begin(), Ends.end(), true) == Ends.end())
        continue;
      std::vector<Open> Some;
      for (unsigned I = 0; I < V.OpenCycles.size(); ++I)
        if (const Violation X = V.OpenCycles[I];
            X.First.Thread == T && V.OpenCycles.pairs()[I].RestsOn == None && !restsOnGuess(P, X))
          Some.push_back({&V.OpenCycles, I});
      if (!Some.empty())
        decideAnew(T, Ends, {{std::move(Some), std::move(Awaited)}});
    }
  }
  static bool isCpuRead(const Statement &S) { return S.Op.Kind == Load || S.Op.Kind == Store; }

  const Program &P;
  Verdict &V;
  const Model M;
  std::map<Key, unsigned> Numbers; ///< filled when it is asked for first
  std::map<Cut, std::vector<Judged>> Waiting;
  std::map<ObjectId, LostFactId> PartOf;
  std::optional<Analysis> Decided; ///< made when a lock word is asked for
  std::map<std::tuple<ObjectId, std::int64_t, std::int64_t>, LockWord> Locks;
  std::map<Key, LostFactId> GivenBack;
  std::map<ThreadIndex, LostFactId> ToldBy;
  std::map<ThreadIndex, std::vector<bool>> BehindPoll;
};

} // namespace

void findReasons(const Program &P, Verdict &V, Model M) { Reasons(P, V, M).run(); }

Verdict judge(const Program &P, Model M) {
  Verdict V = decide(P, M);
  findReasons(P, V, M);
  return V;
}

} // namespace rdma
