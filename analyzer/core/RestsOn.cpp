#include "analyzer/core/RestsOn.h"

#include "analyzer/core/Conditions.h"
#include "analyzer/core/Flow.h"
#include "analyzer/core/LossTexts.h"
#include "analyzer/core/Observing.h"
#include "ir/Ways.h"

#include <algorithm>

namespace rdma {

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

LostFactId RestsOn::lossIn(const Violation &X) {
  LostFactId Fact = X.Broken == Rule::LocalRace ? restsOnOperation(X) : restsOnRequests(X);
  if (Fact == None)
    Fact = restsOnAwaited(X);
  if (Fact == None)
    Fact = restsOnTurn(X);
  if (Fact == None)
    Fact = restsOnPair(X);
  if (Fact == None)
    Fact = restsOnFinding(X);
  for (auto [A, B] : conflictsOf(X))
    if (Fact == None)
      Fact = restsOnBytes(X, *A, *B);
  for (const EventRef *E : {&X.First, &X.Second})
    if (Fact == None)
      Fact = choiceIn(*E, inOpenPairs());
  return Fact;
}

/// Are completions of the queue taken on some way from the one to the other?
bool RestsOn::takesBetween(const Violation &X, CompletionQueueId Queue) const {
  const Thread &T = P.Threads[X.First.Thread];
  const std::vector<bool> Behind = behind(T, {X.First.Statement});
  std::vector<StatementId> Polls;
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (Behind[S] && T.Statements[S].Op.Kind == OperationKind::Poll && T.Statements[S].Op.Queue == Queue)
      Polls.push_back(S);
  return behind(T, std::move(Polls))[X.Second.Statement];
}

/// Does something touch what the call's requests use, and no completion is taken before?
bool RestsOn::isFoundElsewhere(const EventRef &Request, CompletionQueueId Queue) {
  auto [Known, New] = FoundElsewhere.try_emplace({Request.Thread, at(Request).Source}, false);
  for (unsigned I = 0; New && !Known->second && I < V.LocalRaces.size(); ++I)
    if (V.LocalRaces.pairs()[I].RestsOn == None) {
      const Violation X = V.LocalRaces[I];
      Known->second = X.First.Thread == Request.Thread && at(X.First).Source == at(Request).Source &&
                      !takesBetween(X, Queue);
    }
  return Known->second;
}

/// The program says of each request that a call posts whether it asks for a completion, and takes some: what
/// is complete then was counted, and not told.
LostFactId RestsOn::signalIn(const Violation &X) {
  const Statement &Mine = at(X.First);
  if (X.Broken != Rule::LocalRace || !isNic(X.First.Kind) || !asksAtTimes(P.Threads[X.First.Thread], Mine))
    return None;
  const CompletionQueueId Queue = P.QueuePairs[Mine.Op.Pair].Queue;
  if (!takesBetween(X, Queue) || isFoundElsewhere(X.First, Queue))
    return None;
  auto [Known, New] = Signaled.try_emplace({X.First.Thread, Mine.Source}, V.Facts.size());
  if (New)
    V.Facts.push_back({Mine.Where, {words::WhichSignaled}, words::TellWhichSignaled});
  return Known->second;
}

/// The two conflict only if the request is what it is not known to be.
LostFactId RestsOn::restsOnOperation(const Violation &X) const {
  for (auto [Mine, Other] : {std::pair(&X.First, &X.Second), std::pair(&X.Second, &X.First)})
    if (isNic(Mine->Kind) && at(*Mine).Lost != None && writes(Mine->Kind) && !writes(Other->Kind))
      return at(*Mine).Lost;
  return None;
}

/// What a request is that is not known decides which others can see it, and in which order.
LostFactId RestsOn::restsOnRequests(const Violation &X) const {
  std::vector<const EventRef *> All = {&X.First, &X.Second};
  for (const EventRef &E : X.Observers)
    All.push_back(&E);
  for (const EventRef *E : All)
    if (isNic(E->Kind) && at(*E).Lost != None)
      return at(*E).Lost;
  return None;
}

/// Who waits for a value that is written behind the earlier event only has that behind it, too. Who looks
/// whether a message has come may do nothing else when none has.
LostFactId RestsOn::restsOnAwaited(const Violation &X) const {
  return X.Broken == Rule::CriticalCycle && X.Second.Kind == EventKind::lR ? at(X.Second).Lost : None;
}

/// The words in which the thread waits for a value that is not followed.
const std::map<Access, LostFactId> &RestsOn::awaitedIn(ThreadIndex T) {
  auto [Known, New] = Awaited.try_emplace(T);
  for (const Statement &S : P.Threads[T].Statements)
    if (New && S.Lost != None && lookedAt(S).valid())
      Known->second.try_emplace(lookedAt(S), S.Lost);
  return Known->second;
}

/// Those where it does so whatever way it comes to the event.
std::map<Access, LostFactId> RestsOn::awaitedBefore(const EventRef &E) {
  const Thread &T = P.Threads[E.Thread];
  std::map<Access, LostFactId> All = awaitedIn(E.Thread);
  std::erase_if(All, [&](const auto &Awaited) {
    std::vector<StatementId> Work{T.Entry};
    std::vector<bool> Seen(T.Statements.size());
    for (std::size_t I = 0; I < Work.size(); ++I) {
      const Statement &S = T.Statements[Work[I]];
      if (S.Lost != None && lookedAt(S) == Awaited.first)
        continue;
      if (Work[I] == E.Statement)
        return true;
      for (StatementId Next : S.Successors)
        if (!Seen[Next])
          Seen[Next] = true, Work.push_back(Next);
    }
    return false;
  });
  return All;
}

bool RestsOn::writesBehind(const EventRef &E, const Access &Word) const {
  const Thread &T = P.Threads[E.Thread];
  const std::vector<bool> Behind = behind(T, {E.Statement});
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (Behind[S] && isCpuWrite(T.Statements[S].Op.Kind) && mayOverlap(P, T.Statements[S].Op.Local, Word))
      return true;
  return false;
}

/// Both threads wait for their turn in one word before they come to these, and the one that comes to the pair
/// writes the word behind it: it may have the turn until then, as by a lock that the program has made itself.
LostFactId RestsOn::restsOnTurn(const Violation &X) {
  if (X.Broken != Rule::CriticalCycle || X.Observers.empty())
    return None;
  auto isTold = [&](const Access &Word) { // by the events themselves
    return mayOverlap(P, X.First.Location, Word) || mayOverlap(P, X.Second.Location, Word) ||
           std::ranges::any_of(X.Observers,
                               [&](const EventRef &E) { return mayOverlap(P, E.Location, Word); });
  };
  const std::map<Access, LostFactId> Theirs = awaitedBefore(X.Observers.front());
  const std::map<Access, LostFactId> Mine =
      Theirs.empty() ? std::map<Access, LostFactId>() : awaitedBefore(X.First);
  for (const auto &[Word, Fact] : Theirs)
    if (Mine.contains(Word) && !isTold(Word) && writesBehind(X.Second, Word))
      return Fact;
  return None;
}

/// On one queue pair the two would be in order, and which queue pair they are on is not known.
LostFactId RestsOn::restsOnPair(const Violation &X) {
  if (X.Broken == Rule::Atomics || !isNic(X.First.Kind) || !isNic(X.Second.Kind) ||
      X.First.Pair == X.Second.Pair || observedOrder(M, X.First.Kind, X.Second.Kind) == Order::None)
    return None;
  for (const EventRef *E : {&X.First, &X.Second})
    if (at(*E).Lost != None)
      return at(*E).Lost;
  for (const EventRef *E : {&X.First, &X.Second})
    if (isCrossed(*E)) {
      const Statement &Here = at(*E);
      auto [Known, New] = Crossed.try_emplace({E->Thread, Here.Source}, V.Facts.size());
      if (New)
        V.Facts.push_back({Here.Where, {words::WhichPair, describe(P, E->Location)}, words::TellWhichPair});
      return Known->second;
    }
  return None;
}

/// The call may post to one of several queue pairs, and use one of several memories, here or there, as if
/// each went with each: of `post(e[i].qp, e[i].address)` it is not known that they are of one element.
bool RestsOn::isCrossed(const EventRef &E) const {
  const Statement &Mine = at(E);
  bool OtherPair = false, OtherMemory = false;
  for (const Statement &Other : P.Threads[E.Thread].Statements) {
    if (Mine.Source == None || Other.Source != Mine.Source || !isRequest(Other.Op.Kind))
      continue;
    const bool Same =
        E.Location == Mine.Op.Local ? Other.Op.Local == Mine.Op.Local : Other.Op.Remote == Mine.Op.Remote;
    OtherPair |= Other.Op.Pair != Mine.Op.Pair && Same;
    OtherMemory |= Other.Op.Pair == Mine.Op.Pair && !Same;
  }
  return OtherPair && OtherMemory;
}

/// A store and a later load of the CPU, and what others do with both comes only behind completions of
/// requests that the thread has posted, or the other way round: the memory may be what came with a
/// completion, a request's own object, and the request may be posted behind the two.
LostFactId RestsOn::restsOnFinding(const Violation &X) {
  auto isCpu = [](const EventRef &E) { return !isNic(E.Kind); };
  if (X.Broken != Rule::CriticalCycle || X.Observers.empty() || !isCpu(X.First) || !isCpu(X.Second) ||
      !std::all_of(X.Observers.begin(), X.Observers.end(), isCpu))
    return None;
  const ThreadIndex Mine = X.First.Thread, Other = X.Observers.front().Thread;
  auto isBehind = [&](const EventRef &E) { return Who.behindCompletions(E.Thread)[E.Statement]; };
  if (Who.takesFor(Other, Mine) && std::all_of(X.Observers.begin(), X.Observers.end(), isBehind))
    return beside(Other, at(X.Second));
  return Who.takesFor(Mine, Other) && isBehind(X.First) ? beside(Mine, at(X.Second)) : None;
}

/// The two use the same bytes on some executions only, as far as is known.
/// Of requests that use one memory of another node; of other accesses nothing is said.
bool RestsOn::isForSameBytes(const Violation &X, const EventRef &First, const EventRef &Second) const {
  const Operation &A = at(First).Op, &B = at(Second).Op;
  auto isThere = [](const EventRef &E, const Operation &Op) {
    return isNic(E.Kind) && isRequest(Op.Kind) && E.Location == Op.Remote;
  };
  if (!isThere(First, A) || !isThere(Second, B) || (A.RemoteAt == None && B.RemoteAt == None))
    return true;
  // An instruction posts to another queue pair in another round.
  const bool OneCall = at(First).Source != None && at(First).Source == at(Second).Source;
  const bool OfOneRound = First.Statement != Second.Statement && (!OneCall || A.Pair == B.Pair);
  // What conflicts in a cycle is of two threads, or of two copies of one.
  return X.Broken == Rule::LocalRace && A.RemoteAt == B.RemoteAt && (!A.RemoteMoves || OfOneRound);
}

LostFactId RestsOn::restsOnBytes(const Violation &X, const EventRef &First, const EventRef &Second) {
  const Access &A = First.Location, &B = Second.Location;
  if (A.Target != B.Target && mayBeKin(P.Objects[A.Target], A, P.Objects[B.Target], B)) {
    auto [Known, New] = OneMemory.try_emplace(std::minmax(A.Target, B.Target), V.Facts.size());
    if (New)
      V.Facts.push_back(
          {at(Second).Where, {words::OneMemory, describe(P, A), describe(P, B)}, words::TellOneMemory});
    return Known->second;
  }
  if (A.Target != B.Target)
    return None;
  auto holds = [](const Access &Whole, const Access &Part) {
    return !Whole.Somewhere && Whole.Begin <= Part.Begin && Part.End <= Whole.End;
  };
  bool Surely =
      isForSameBytes(X, First, Second) && ((!A.Somewhere && !B.Somewhere) || holds(A, B) || holds(B, A));
  if (Surely && !P.Objects[A.Target].Several)
    return None;
  auto [Known, New] = PartOf.try_emplace(A.Target, V.Facts.size());
  if (New)
    V.Facts.push_back({at(Second).Where,
                       {Surely ? words::WhichBlock : words::WhichPart, describe(P, A)},
                       words::TellIndex});
  return Known->second;
}

static StatementKey statementOf(const EventRef &E) { return {E.Thread, E.Statement}; }

unsigned RestsOn::chosenBy(const StatementKey &S) const {
  return P.Threads[S.first].Statements[S.second].Op.OneOf;
}

bool RestsOn::isChoice(const StatementKey &S) const {
  return chosenBy(S) != None && P.Threads[S.first].Statements[S.second].Source != None;
}

/// Those of the same instruction, which uses the memory of one of them.
std::vector<StatementKey> RestsOn::alternatives(const StatementKey &S) const {
  const std::vector<Statement> &All = P.Threads[S.first].Statements;
  const Statement &Mine = All[S.second];
  std::vector<StatementKey> Found;
  for (StatementId Other = 0; Other < All.size(); ++Other)
    if (All[Other].Source == Mine.Source && All[Other].Op.OneOf != None && All[Other].Op.Kind == Mine.Op.Kind)
      Found.emplace_back(S.first, Other);
  return Found;
}

void RestsOn::addPartners(const Violations &List, unsigned I, Partners &All) const {
  const EventNumbers &Events = List.events();
  const EventRef &First = Events[List.pairs()[I].First], &Second = Events[List.pairs()[I].Second];
  if (!isChoice(statementOf(First)) && !isChoice(statementOf(Second)))
    return;
  const Violation X = List[I];
  const bool InOneThread = X.Broken == Rule::LocalRace || X.Broken == Rule::Atomics;
  const StatementKey Nobody{None, None};
  const StatementKey OfFirst = InOneThread           ? statementOf(X.Second)
                               : X.Observers.empty() ? Nobody
                                                     : statementOf(X.Observers.back());
  const StatementKey OfSecond = InOneThread           ? statementOf(X.First)
                                : X.Observers.empty() ? Nobody
                                                      : statementOf(X.Observers.front());
  All[statementOf(First)].insert(OfFirst);
  All[statementOf(Second)].insert(OfSecond);
}

const Partners &RestsOn::inOpenPairs() {
  if (InOpenPairs)
    return *InOpenPairs;
  InOpenPairs.emplace();
  for (const Violations *List : {&V.LocalRaces, &V.OpenCycles})
    for (unsigned I = 0; I < List->size(); ++I)
      addPartners(*List, I, *InOpenPairs);
  return *InOpenPairs;
}

Partners RestsOn::inDefects() const {
  Partners All;
  // That a pointer may lead anywhere speaks for none of the memories that it may lead to.
  auto leadsAnywhere = [&](const Violation &X) {
    return isChoice(statementOf(X.Second)) && P.Objects[X.Second.Location.Target].Anything;
  };
  for (const Violations *List : {&V.LocalRaces, &V.OpenCycles})
    for (unsigned I = 0; I < List->size(); ++I)
      if (List->pairs()[I].RestsOn == None &&
          (!restsOnGuess(P, (*List)[I]) || (List == &V.LocalRaces && leadsAnywhere((*List)[I]))))
        addPartners(*List, I, All);
  return All;
}

/// With a partner that is not chosen itself, or by the same pointer, or whichever memory the partner chooses:
/// two that choose need not choose the same.
bool RestsOn::goesWrong(const StatementKey &S, const Partners &Bad) const {
  auto Found = Bad.find(S);
  auto isMine = [&](const StatementKey &With) {
    return With.first == S.first && chosenBy(With) == chosenBy(S);
  };
  return Found != Bad.end() && std::ranges::any_of(Found->second, [&](const StatementKey &With) {
           return With.first == None || !isChoice(With) || isMine(With) ||
                  std::ranges::all_of(alternatives(With),
                                      [&](const StatementKey &S) { return Found->second.count(S) > 0; });
         });
}

LostFactId RestsOn::choiceIn(const EventRef &E, const Partners &Bad) {
  if (!isChoice(statementOf(E)))
    return None;
  const Statement &Mine = at(E);
  const std::vector<StatementKey> All = alternatives(statementOf(E));
  if (std::ranges::all_of(All, [&](const StatementKey &S) { return goesWrong(S, Bad); }))
    return None;
  std::string Others;
  for (auto [T, S] : All) {
    std::string Name = "'" + describe(P, P.Threads[T].Statements[S].Op.Local) + "'";
    if (S != E.Statement && Others.find(Name) == std::string::npos)
      Others += (Others.empty() ? "" : ", ") + Name;
  }
  auto [Known, New] = Choices.try_emplace({E.Thread, Mine.Source}, V.Facts.size());
  if (New)
    V.Facts.push_back({Mine.Where, {words::WhichOf, describe(P, Mine.Op.Local), Others}, words::TellWhichOf});
  return Known->second;
}

LostFactId RestsOn::valueIn(const Violation &X) {
  const Access &Word = X.First.Location;
  auto [Lock, First] = Locks.try_emplace(Word, Base, Word);
  if (!Lock->second.mayGiveBack(X.Second))
    return None;
  auto [Known, New] = GivenBack.try_emplace(keyOf(X.Second), V.Facts.size());
  if (New && Lock->second.swapsUnknown())
    V.Facts.push_back({at(X.First).Where, {words::SwappedIn, describe(P, Word)}, words::TellSwappedIn});
  else if (New)
    V.Facts.push_back(
        {at(X.Second).Where, {words::WrittenToLock, describe(P, Word)}, words::TellWrittenToLock});
  return Known->second;
}

LostFactId RestsOn::beside(ThreadIndex T, const Statement &Here) {
  auto [Known, New] = ToldBy.try_emplace(T, V.Facts.size());
  if (New)
    V.Facts.push_back({Here.Where, {words::TakenByThread, P.Threads[T].Name}, words::TellTakenByThread});
  return Known->second;
}

} // namespace rdma
