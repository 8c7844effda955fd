#include "analyzer/core/Reasons.h"

#include "analyzer/core/Alike.h"
#include "analyzer/core/BegunThreads.h"
#include "analyzer/core/Conditions.h"
#include "analyzer/core/Favoured.h"
#include "analyzer/core/Flow.h"
#include "analyzer/core/LossTexts.h"
#include "analyzer/core/Observing.h"
#include "analyzer/core/RestsOn.h"
#include "analyzer/core/SharedPairs.h"
#include "analyzer/core/Streams.h"
#include "ir/SubEvents.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace rdma {
namespace {

using enum OperationKind;

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
  Reasons(const Analysis &Base, Verdict &V)
      : Base(Base), P(Base.Code), V(V), M(Base.M), Who(P), Rests(Base, V, Who) {}

  void run() {
    V.Facts = P.LostFacts;
    takeTurns();
    for (Violation &X : V.AtomicityBreaks)
      if (!restsOnGuess(P, X))
        if (X.RestsOn = Rests.lossIn(X); X.RestsOn == None)
          X.RestsOn = Rests.valueIn(X);
    std::map<Earlier, std::vector<Open>> Unexplained;
    for (auto *List : {&V.LocalRaces, &V.OpenCycles})
      for (unsigned I = 0; I < List->size(); ++I) {
        const Violation X = (*List)[I];
        if (restsOnGuess(P, X) || isShown(X))
          continue;
        if (LostFactId Fact = Rests.lossIn(X); Fact != None)
          List->setReason(I, Fact);
        else
          Unexplained[earlier(X.First)].push_back({List, I});
      }
    for (auto &[What, Some] : Unexplained)
      judge(What, Some);
    for (auto &[Cut, Some] : Waiting)
      decideAnew(Cut.first, Cut.second, Some);
    decideInTurn();
    decideAwaited();
    decideAwaitedElsewhere();
    decideBegun();
    decideAtFirst();
    decideObserved();
    decideCompleted();
    decideShared();
    decideLocked();
    while (decideChosen()) {
    }
  }

private:
  /// Open cycles by their places in the list, each with why it may not be one.
  using Questions = std::vector<std::pair<unsigned, LostFactId>>;

  const Statement &at(const EventRef &E) const { return P.Threads[E.Thread].Statements[E.Statement]; }

  Earlier earlier(const EventRef &E) const {
    const bool Arrives = E.Kind == EventKind::nrW || E.Kind == EventKind::narW, Nic = isNic(E.Kind);
    return {E.Thread, Nic ? E.Pair : None, Arrives, Nic ? at(E).Lost : None};
  }

  /// Is there no fact yet that it may hang on?
  bool isOpen(const Violations &List, unsigned I) const {
    return List.pairs()[I].RestsOn == None && !restsOnGuess(P, List[I]);
  }

  bool isShown(const Violation &X) const {
    SeenOpen Pair{X.First.Thread, at(X.First).Source, at(X.Second).Source};
    return X.Broken == Rule::LocalRace && X.First.Thread == X.Second.Thread && Pair.Request != None &&
           std::binary_search(P.ShownOpen.begin(), P.ShownOpen.end(), Pair);
  }

  /// Per statement, the fact that may order the earlier events before what follows it; None: nothing is lost.
  std::vector<LostFactId> doubts(const Earlier &What) {
    const Thread &T = P.Threads[What.Thread];
    std::vector<LostFactId> At(T.Statements.size(), None);
    bool Completes = What.Pair != None && (!What.Arrives || Who.pushes(What.Pair));
    CompletionQueueId Queue = What.Pair == None || What.Doubt != None ? None : P.QueuePairs[What.Pair].Queue;
    LostFactId NoQueue =
        What.Pair == None || What.Doubt != None ? What.Doubt : P.QueuePairs[What.Pair].NoQueue;
    ThreadIndex Beside = Completes ? Who.pollerBeside(What.Thread, What.Pair) : None;
    const LostFactId Elsewhere = Who.reportsAnywhere(What.Thread);
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
      } else if (Beside != None && Who.hears(Here.Op, Beside)) {
        At[S] = Rests.beside(Beside, Here);
      }
    }
    return At;
  }

  /// The doubt that a way from the earlier statement to the later meets first. On none: the first behind the
  /// earlier one, which may be all that lets somebody who waits for this thread see the two.
  LostFactId nearest(const EventRef &From, const std::vector<bool> &Reaches,
                     const std::vector<LostFactId> &Doubts) const {
    const LostFactId Between = firstDoubt(From, Doubts, [&](StatementId S) { return Reaches[S]; });
    return Between != None ? Between : firstDoubt(From, Doubts, [](StatementId) { return true; });
  }
  template <typename Passes>
  LostFactId firstDoubt(const EventRef &From, const std::vector<LostFactId> &Doubts, Passes May) const {
    const Thread &T = P.Threads[From.Thread];
    std::vector<bool> Seen(T.Statements.size());
    std::vector<StatementId> Work{From.Statement};
    for (std::size_t I = 0; I < Work.size(); ++I)
      for (StatementId Next : T.Statements[Work[I]].Successors)
        if (!Seen[Next] && May(Next)) {
          Seen[Next] = true;
          if (Doubts[Next] != None)
            return Doubts[Next];
          Work.push_back(Next);
        }
    return None;
  }

  /// Statements from which there is a way to this one.
  static std::vector<bool> before(const Thread &T, StatementId End) {
    std::vector<bool> Reaches = inFrontOf(T, {End});
    Reaches[End] = true;
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

  const Alike &here() {
    if (!Same)
      Same.emplace(V.OpenCycles.events());
    return *Same;
  }

  void decideAnew(ThreadIndex T, const std::vector<bool> &Ends, const std::vector<Judged> &All) {
    const Program Favoured = waysEndingAt(P, T, Ends);
    Sought Those;
    for (const Judged &J : All)
      for (const Open &X : J.Some)
        Those.add(X.In->events()[X.pair().First], X.In->events()[X.pair().Second]);
    const Analysis A(Favoured, M, &Base);
    const std::map<const Violations *, std::vector<std::uint64_t>> StillOpen = {
        {&V.LocalRaces, here().renumbered(localRaces(A))},
        {&V.OpenCycles, here().renumbered(openCycles(A, Those.openIn(A)))}};
    for (const Judged &J : All) {
      std::map<std::pair<StatementId, StatementId>, LostFactId> Nearest;
      std::map<StatementId, std::vector<bool>> Before;
      for (const Open &X : J.Some) {
        const EventNumbers &Events = X.In->events();
        const EventRef &First = Events[X.pair().First], &Second = Events[X.pair().Second];
        const std::vector<std::uint64_t> &Pairs = StillOpen.at(X.In);
        if (std::binary_search(Pairs.begin(), Pairs.end(), here().order(X.pair())))
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

  /// Of the pairs that others see by messages through sockets: which are open also if each is received in its
  /// turn, and which only if some are not.
  void takeTurns() {
    std::vector<unsigned> Some;
    for (unsigned I = 0; I < V.OpenCycles.size(); ++I)
      if (hangsOnMessage(V.OpenCycles[I]))
        Some.push_back(I);
    std::optional<Program> Numbered = Some.empty() ? std::nullopt : inTurn(P);
    if (!Numbered)
      return;
    // The statements are the same, and so are the numbers of the events.
    const Analysis A(*Numbered, M);
    const Violations Open = openCycles(A);
    InOrder InTurn(Open);
    for (unsigned I : Some) {
      const std::size_t Same = InTurn.find(V.OpenCycles.pairs()[I]);
      if (Same == None)
        OutOfTurn.push_back(I);
      else if (const Violation X = Open[Same];
               restsOnGuess(P, V.OpenCycles[I]) && !restsOnGuess(*Numbered, X))
        V.OpenCycles.setInTurn(I, inOwnNames(X.Observers));
    }
  }

  /// Streams have no names in this program.
  std::vector<EventRef> inOwnNames(const Observers &Some) const {
    std::vector<EventRef> Own(Some.begin(), Some.end());
    for (EventRef &E : Own)
      if (E.Location.Target >= P.Objects.size())
        E.Location = at(E).Op.Remote;
    return Own;
  }

  /// Pairs that are open only if messages through a socket are received before their turn.
  void decideInTurn() {
    LostFactId Fact = None;
    for (unsigned I : OutOfTurn) {
      const Violation X = V.OpenCycles[I];
      if (restsOnLoss(P, X))
        continue;
      if (Fact == None) {
        Fact = V.Facts.size();
        V.Facts.push_back({at(X.Second).Where, words::WhichMessage, words::TellWhichMessage});
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
        Awaited.push_back(awaitsUnknown(P, S) ? S.Lost : None);
        Ends.push_back(Awaited.back() != None);
      }
      if (std::find(Ends.begin(), Ends.end(), true) == Ends.end())
        continue;
      std::vector<Open> Some;
      for (unsigned I = 0; I < V.OpenCycles.size(); ++I)
        if (V.OpenCycles[I].First.Thread == T && isOpen(V.OpenCycles, I))
          Some.push_back({&V.OpenCycles, I});
      if (!Some.empty())
        decideAnew(T, Ends, {{std::move(Some), std::move(Awaited)}});
    }
  }

  /// Who has a message and waits for a value before he looks may have waited for one that was written behind
  /// what he looks at. He sees nothing out of order then.
  void decideAwaitedElsewhere() {
    std::map<ThreadIndex, LostFactId> Waiting; // the first value each waits for
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      for (const Statement &S : P.Threads[T].Statements)
        if (awaitsUnknown(P, S))
          Waiting.try_emplace(T, S.Lost);
    std::map<ThreadIndex, Questions> Some;
    for (unsigned I = 0; I < V.OpenCycles.size() && !Waiting.empty(); ++I) {
      const Violation X = V.OpenCycles[I];
      if (!isOpen(V.OpenCycles, I) || !hangsOnMessage(X))
        continue;
      for (const EventRef &E : X.Observers)
        if (auto Found = Waiting.find(E.Thread); Found != Waiting.end() && E.Thread != X.First.Thread) {
          Some[X.First.Thread].emplace_back(I, Found->second);
          break;
        }
    }
    for (const auto &[T, Pairs] : Some)
      decideIn(waitedFor(P, T), Pairs);
  }

  /// What a thread may see that is begun while a request is out, if it does not wait until the request is
  /// over.
  void decideBegun() {
    const std::map<ObjectId, EventRef> Waiters = mayWait(P);
    std::map<std::pair<ObjectId, ThreadIndex>, LostFactId> Facts;
    Questions Some;
    for (unsigned I = 0; I < V.OpenCycles.size() && !Waiters.empty(); ++I) {
      const Violation X = V.OpenCycles[I];
      auto Found = Waiters.find(X.Second.Location.Target);
      if (Found == Waiters.end() || !isOpen(V.OpenCycles, I))
        continue;
      auto [Fact, New] = Facts.try_emplace({Found->first, X.Second.Thread}, V.Facts.size());
      if (New)
        V.Facts.push_back(
            {at(Found->second).Where,
             {words::MayWait, P.Threads[Found->second.Thread].Name, P.Threads[X.Second.Thread].Name},
             words::TellMayWait});
      Some.emplace_back(I, Fact->second);
    }
    if (!Some.empty())
      decideIn(withWaits(P), std::move(Some));
  }

  /// What others see of threads that take turns, if one was let pass by what it found there at first.
  void decideAtFirst() {
    const ObjectId Unset = unsetWord(P);
    Questions Some;
    for (unsigned I = 0; I < V.OpenCycles.size() && Unset != None; ++I)
      if (isOpen(V.OpenCycles, I))
        Some.emplace_back(I, V.Facts.size());
    if (Some.empty())
      return;
    V.Facts.push_back({at(V.OpenCycles[Some.front().first].Second).Where,
                       {words::AtFirst, P.Objects[Unset].Name},
                       words::TellAtFirst});
    decideIn(zeroAtFirst(P), std::move(Some));
  }

  /// Pairs that no other thread could tell apart if nothing threw, and every join had waited for all that it
  /// may have waited for.
  void decideObserved() {
    const std::map<ThreadIndex, Observing> Observers = observing(P);
    Questions Some;
    for (unsigned I = 0; I < V.OpenCycles.size() && !Observers.empty(); ++I) {
      if (!isOpen(V.OpenCycles, I))
        continue;
      if (LostFactId Why = whySeen(V.OpenCycles[I], Observers); Why != None)
        Some.emplace_back(I, Why);
    }
    if (!Some.empty())
      decideIn(heardAndQuiet(P, Observers), std::move(Some));
  }

  /// Pairs that are open only if requests of their own or of who looks are out behind places where they may
  /// have completed.
  void decideCompleted() {
    std::map<Earlier, std::vector<std::pair<unsigned, EventRef>>> Some;
    for (unsigned I = 0; I < V.OpenCycles.size(); ++I) {
      if (V.OpenCycles.pairs()[I].RestsOn != None)
        continue;
      const Violation X = V.OpenCycles[I];
      if (restsOnGuess(P, X))
        continue;
      std::vector<EventRef> Events(X.Observers.begin(), X.Observers.end());
      Events.push_back(X.First);
      for (const EventRef &E : Events)
        if (isNic(E.Kind) && E.Pair != None)
          Some[earlier(E)].emplace_back(I, E);
    }
    Program Favoured = Some.empty() ? Program{} : heardAndQuiet(P, observing(P));
    Questions Doubted;
    for (const auto &[What, Pairs] : Some) {
      const std::vector<LostFactId> All = doubts(What);
      if (std::ranges::all_of(All, [](auto F) { return F == None; }))
        continue;
      completeAt(Favoured, What.Thread, What.Pair, All);
      for (const auto &[I, E] : Pairs)
        if (const LostFactId Fact = firstDoubt(E, All, [](StatementId) { return true; }); Fact != None)
          Doubted.emplace_back(I, Fact);
    }
    if (!Doubted.empty())
      decideIn(Favoured, std::move(Doubted));
  }

  /// Those of them that are not open in a program like this one, or only for who is not known to see them
  /// there.
  Questions closedIn(const Program &Like, Questions Some) {
    const EventNumbers &Events = V.OpenCycles.events();
    Sought Those;
    for (auto [I, Fact] : Some)
      Those.add(Events[V.OpenCycles.pairs()[I].First], Events[V.OpenCycles.pairs()[I].Second]);
    const Analysis A(Like, M, &Base);
    const Violations There = openCycles(A, Those.openIn(A));
    const std::vector<std::uint64_t> Open = here().renumbered(There, [&](std::size_t I) {
      const Violation X = There[I];
      return !restsOnGuess(P, X) && Rests.lossIn(X) == None;
    });
    std::erase_if(Some, [&](const auto &Question) {
      return std::binary_search(Open.begin(), Open.end(), here().order(V.OpenCycles.pairs()[Question.first]));
    });
    return Some;
  }
  void decideIn(const Program &Like, Questions Some) {
    for (auto [I, Fact] : closedIn(Like, std::move(Some)))
      if (V.OpenCycles.pairs()[I].RestsOn == None)
        V.OpenCycles.setReason(I, Fact);
  }

  /// What others see of writes through a queue pair that they post to, too, behind their completions.
  void decideShared() {
    std::map<std::pair<ThreadIndex, unsigned>, Questions> Some;
    for (unsigned I = 0; I < V.OpenCycles.size(); ++I) {
      const Violation X = V.OpenCycles[I];
      const unsigned Shared = X.First.Pair == None ? None : P.QueuePairs[X.First.Pair].Shared;
      if (Shared != None && earlier(X.First).Arrives && isOpen(V.OpenCycles, I))
        Some[{X.First.Thread, Shared}].emplace_back(I, None);
    }
    for (const auto &[Of, Pairs] : Some) {
      const Questions Closed = closedIn(postedInOrder(P, Of.first, Of.second), Pairs);
      if (Closed.empty())
        continue;
      const EventRef First = V.OpenCycles[Closed.front().first].First;
      V.Facts.push_back(
          {at(First).Where, {words::SharedPair, P.QueuePairs[First.Pair].Name}, words::TellSharedPair});
      for (auto [I, Unknown] : Closed)
        V.OpenCycles.setReason(I, V.Facts.size() - 1);
    }
  }

  /// Pairs that are open only because memory of unknown origin may be the word of a lock.
  void decideLocked() {
    const std::optional<MaybeLock> At = writesMaybeLock(P);
    Questions Some;
    for (unsigned I = 0; I < V.OpenCycles.size() && At; ++I)
      if (isOpen(V.OpenCycles, I))
        Some.emplace_back(I, V.Facts.size());
    if (Some.empty())
      return;
    V.Facts.push_back(
        {P.Threads[At->Thread].Statements[At->Statement].Where, words::MayBeLock, words::TellMayBeLock});
    decideIn(withLocksApart(P), std::move(Some));
  }

  /// To memory that may be other memory, for which no defect is known: accesses of one thread, or of the CPU.
  /// And of requests that may ask for no completion. Says whether there were any: they are no defects.
  bool decideChosen() {
    const Partners Defects = Rests.inDefects();
    bool Any = false;
    for (Violations *List : {&V.LocalRaces, &V.OpenCycles})
      for (unsigned I = 0; I < List->size(); ++I) {
        const Violation X = (*List)[I];
        if (!isOpen(*List, I) || isShown(X))
          continue;
        const bool OfCpu = !isNic(X.First.Kind) && !isNic(X.Second.Kind);
        LostFactId Fact = None;
        if (List == &V.LocalRaces || OfCpu)
          for (const EventRef *E : {&X.First, &X.Second})
            if (Fact == None)
              Fact = Rests.choiceIn(*E, Defects);
        if (List == &V.LocalRaces && Fact == None)
          Fact = Rests.signalIn(X);
        if (Fact != None)
          List->setReason(I, Fact);
        Any |= Fact != None;
      }
    return Any;
  }

  const Analysis &Base;
  const Program &P;
  Verdict &V;
  const Model M;
  Takers Who;
  RestsOn Rests;
  std::optional<Alike> Same; ///< made when it is asked for first
  std::map<Cut, std::vector<Judged>> Waiting;
  std::vector<unsigned> OutOfTurn; ///< of the open cycles
};

} // namespace

Verdict judge(const Program &P, Model M) {
  const Analysis A(P, M);
  Verdict V = decide(A);
  Reasons(A, V).run();
  return V;
}

} // namespace rdma
