#include "rewriter/plan/Plan.h"

#include "analyzer/report/Places.h"
#include "rewriter/plan/Together.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rdma {
namespace {

using enum OperationKind;
using Stand = PlannedEdit::Stand;

class Inserter {
public:
  explicit Inserter(Program P) : P(std::move(P)) {}

  Inserted insert(const PlannedEdit &E, const Copy &C) {
    Inserted Found{C.Thread, {}, None};
    if (E.How == Stand::On) {
      Operation &Request = P.Threads[C.Thread].Statements[C.At].Op;
      // Several edits may set the same flag.
      if (!Request.Fenced)
        Flagged.insert({C.Thread, C.At});
      if (Flagged.contains({C.Thread, C.At}))
        Found.Flagged = C.At;
      Request.Fenced = true;
      return Found;
    }
    std::vector<Operation> Steps = steps(E, C);
    const Statement &At = P.Threads[C.Thread].Statements[C.At];
    Site Where = At.Where;
    unsigned Depth = At.LoopDepth - (E.How == Stand::Entering);
    StatementId First = None, Last = None;
    for (Operation &Step : Steps) {
      StatementId New = P.Threads[C.Thread].Statements.size();
      P.Threads[C.Thread].Statements.push_back({std::move(Step), Where, {}, Depth});
      if (Last != None)
        P.Threads[C.Thread].Statements[Last].Successors = {New};
      First = First == None ? New : First;
      Last = New;
      Found.Statements.push_back(New);
    }
    link(P.Threads[C.Thread], E.How, C.At, First, Last);
    return Found;
  }

  /// The request of a wait whose call begins with a statement that stands there, and waits for all of them.
  Inserted join(const PlannedEdit &E, const Copy &C, StatementId Call) {
    Operation Request = steps(E, C).front();
    std::vector<Statement> &All = P.Threads[C.Thread].Statements;
    StatementId New = All.size();
    All.push_back({std::move(Request), All[Call].Where, {}, All[Call].LoopDepth});
    link(P.Threads[C.Thread], Stand::Before, Call, New, New);
    return {C.Thread, {New}, None};
  }

  /// What counting will prove of the edited source.
  void clear(ThreadIndex T, StatementId Request, StatementId Later) {
    Operation &Op = P.Threads[T].Statements[Request].Op;
    if (Op.Id == None) {
      Op.Id = newId(T);
      Op.Counted = true;
    }
    if (Op.Counted)
      P.Threads[T].Statements[Later].ClearOf.push_back(Op.Id);
  }

  Program take() { return std::move(P); }

private:
  std::vector<Operation> steps(const PlannedEdit &E, const Copy &C) {
    if (E.What == Remedy::MemoryFence)
      return {{.Kind = MemoryFence}};
    WorkId Id = workId(C.Thread, E.Leaves ? C.Pair : None);
    Operation Request{.Kind = E.What == Remedy::Poll ? Put : Get,
                      .Local = fresh(P.Threads[C.Thread].Home),
                      .Remote = fresh(P.QueuePairs[C.Pair].Target),
                      .Pair = C.Pair,
                      .Id = Id};
    // What a wait that counts orders, countedPairs says: of a loop that the compiler unrolled, the place of
    // the source may have more copies than calls.
    constexpr std::int64_t All = std::numeric_limits<int>::max();
    return {Request, {.Kind = Wait, .Id = Id, .Constant = E.Leaves ? All : 0}};
  }

  /// One for all of a thread that are waited for where they are posted, and one for all of a queue pair that
  /// may stay out.
  WorkId workId(ThreadIndex T, QueuePairId LeftOutOf) {
    auto [Known, New] = Ids.try_emplace({T, LeftOutOf}, None);
    if (New)
      Known->second = newId(T);
    return Known->second;
  }

  WorkId newId(ThreadIndex T) {
    P.WorkIds.push_back(P.Threads[T].Name + ":fix" + std::to_string(P.WorkIds.size()));
    return P.WorkIds.size() - 1;
  }

  Access fresh(NodeId Home) {
    P.Objects.push_back({.Name = "fence", .Home = Home, .Fresh = true});
    return {static_cast<ObjectId>(P.Objects.size() - 1)};
  }

  static void link(Thread &Body, Stand How, StatementId At, StatementId First, StatementId Last) {
    if (PlannedEdit::isBehind(How)) {
      Body.Statements[Last].Successors = std::exchange(Body.Statements[At].Successors, {First});
      return;
    }
    std::vector<bool> In(Body.Statements.size());
    if (How == Stand::Entering)
      In = loopOf(Body, At);
    for (StatementId S = 0; S < Body.Statements.size(); ++S)
      for (StatementId &Next : Body.Statements[S].Successors)
        if (Next == At && !In[S])
          Next = First;
    if (Body.Entry == At)
      Body.Entry = First;
    Body.Statements[Last].Successors = {At};
  }

  Program P;
  std::map<std::pair<ThreadIndex, QueuePairId>, WorkId> Ids;
  std::set<std::pair<ThreadIndex, StatementId>> Flagged;
};

/// The part of a chain that both belong to the same calls from on.
std::size_t levelsInside(const std::vector<Place> &Chain, const Place &At) {
  for (std::size_t I = 0; I < Chain.size(); ++I)
    if (Chain[I] == At)
      return I + 1;
  return Chain.size();
}

/// Instances of a template are functions of their own; what is written in one is in all of them.
bool isSameText(const Place &A, const Place &B) {
  return A.File == B.File && A.Line == B.Line && A.Column == B.Column;
}

bool sameInside(const std::vector<Place> &A, const std::vector<Place> &B, std::size_t Levels) {
  return A.size() >= Levels && B.size() >= Levels &&
         std::equal(A.begin(), A.begin() + Levels, B.begin(), isSameText);
}

bool sameOutside(const std::vector<Place> &A, std::size_t InA, const std::vector<Place> &B, std::size_t InB) {
  return A.size() >= InA && B.size() >= InB && std::equal(A.begin() + InA, A.end(), B.begin() + InB, B.end());
}

/// The queue pair of the earlier operation where the edit's copy stands: its own copy in the same calls, or
/// the queue pair of the same name in a replica. A request that may be on one of several has a copy for each.
QueuePairId pairThere(const Program &P, const PlannedEdit &E, ThreadIndex T, const std::vector<Place> &Chain,
                      std::size_t Inside) {
  const Statement &First = P.Threads[E.Why.First.Thread].Statements[E.Why.First.Statement];
  Place FirstPlace = placesOfPair(P, E.Why.First, E.Why.Second).first;
  std::size_t FirstInside = levelsInside(First.Where.Chain, FirstPlace);
  QueuePairId Found = None;
  for (const Statement &S : P.Threads[T].Statements)
    if (S.Op.Pair != None && S.Op.Kind == First.Op.Kind &&
        sameInside(S.Where.Chain, First.Where.Chain, FirstInside) &&
        sameOutside(S.Where.Chain, FirstInside, Chain, Inside)) {
      if (S.Op.Pair == First.Op.Pair)
        return S.Op.Pair;
      Found = Found == None ? S.Op.Pair : Found;
    }
  if (Found != None)
    return Found;
  for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q)
    if (P.QueuePairs[Q].Owner == T && !P.QueuePairs[Q].Name.empty() &&
        P.QueuePairs[Q].Name == P.QueuePairs[E.Why.First.Pair].Name)
      return Q;
  return None;
}

} // namespace

static std::vector<bool> reached(const Thread &T, const std::vector<std::vector<StatementId>> &Next,
                                 StatementId From) {
  std::vector<bool> Seen(T.Statements.size());
  std::vector<StatementId> Work = {From};
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    for (StatementId To : Next[S])
      if (!Seen[To] && T.Statements[To].LoopDepth >= T.Statements[From].LoopDepth) {
        Seen[To] = true;
        Work.push_back(To);
      }
  }
  return Seen;
}

std::vector<bool> loopOf(const Thread &T, StatementId Head) {
  std::vector<std::vector<StatementId>> Next;
  for (const Statement &S : T.Statements)
    Next.push_back(S.Successors);
  std::vector<bool> After = reached(T, Next, Head), Before = reached(T, predecessors(T), Head);
  for (StatementId S = 0; S < After.size(); ++S)
    After[S] = After[S] && Before[S];
  return After;
}

std::pair<Place, Place> placesOf(const Program &P, const PlannedEdit &E) {
  EventRef To = E.Why.Second;
  // A loop's head may have no place; what is in the loop has.
  if (E.How == Stand::Before)
    To.Statement = E.At;
  auto Places = placesOfPair(P, E.Why.First, To);
  if (E.How == Stand::BehindCall)
    Places.first = P.Threads[To.Thread].Statements[E.Why.First.Statement].Where.Chain[E.Level];
  if (E.How == Stand::Before && E.Level) {
    const std::vector<Place> &Chain = P.Threads[To.Thread].Statements[E.At].Where.Chain;
    Places.second = Chain[levelsInside(Chain, Places.second) - 1 - E.Level];
  }
  return Places;
}

/// Copies of a statement that come first on ways from these, which do not leave the loop that they are in.
static std::vector<StatementId> firstCopies(const Thread &T, std::vector<StatementId> Work, unsigned Depth,
                                            const std::function<bool(StatementId)> &IsCopy) {
  std::vector<StatementId> Found;
  std::vector<bool> Seen(T.Statements.size());
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    if (Seen[S] || T.Statements[S].LoopDepth < Depth)
      continue;
    Seen[S] = true;
    if (IsCopy(S))
      Found.push_back(S);
    else
      Work.insert(Work.end(), T.Statements[S].Successors.begin(), T.Statements[S].Successors.end());
  }
  std::sort(Found.begin(), Found.end());
  return Found;
}

/// Where loops are entered.
static std::set<StatementId> loopHeads(const Thread &T) {
  std::set<StatementId> Heads;
  for (const Statement &S : T.Statements)
    for (StatementId Next : S.Successors)
      if (T.Statements[Next].LoopDepth > S.LoopDepth)
        Heads.insert(Next);
  return Heads;
}

std::vector<StatementId> firstRounds(const Thread &T, StatementId Earlier, StatementId Later, bool Each) {
  auto IsCopy = [&](StatementId Of, StatementId S) {
    const Statement &A = T.Statements[Of], &B = T.Statements[S];
    return A.Op.Kind == B.Op.Kind && A.Where == B.Where;
  };
  auto IsLater = [&](StatementId S) { return IsCopy(Later, S); };
  std::vector<StatementId> Posts, Behind;
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (IsCopy(Earlier, S)) {
      Posts.push_back(S);
      Behind.insert(Behind.end(), T.Statements[S].Successors.begin(), T.Statements[S].Successors.end());
    }
  if (Each) {
    if (Posts.size() > 1)
      Behind.push_back(T.Entry);
    return firstCopies(T, Behind, 0, IsLater);
  }
  std::vector<StatementId> Found =
      firstCopies(T, Posts.size() > 1 ? std::vector<StatementId>{T.Entry} : std::move(Behind), 0, IsLater);
  if (Found.size() != 1 || Posts.size() == 1)
    return Found.size() == 1 ? Found : std::vector<StatementId>();
  // The first round of a loop around it may stand apart from the others.
  for (StatementId Head : loopHeads(T)) {
    auto Own = firstCopies(T, {Head}, T.Statements[Head].LoopDepth, IsLater);
    if (Own.size() > 1)
      return {};
    if (!Own.empty() && std::find(Found.begin(), Found.end(), Own[0]) == Found.end())
      Found.push_back(Own[0]);
  }
  return Found;
}

std::vector<Copy> copiesOf(const Program &P, const PlannedEdit &E) {
  ThreadIndex Own = E.Why.Second.Thread;
  const Statement &At = P.Threads[Own].Statements[E.At];
  std::vector<Copy> Found = {{Own, E.At, E.Why.First.Pair}};
  if (E.How == Stand::Unrolled)
    for (StatementId S : firstRounds(P.Threads[Own], E.Why.First.Statement, E.Why.Second.Statement, E.Level))
      if (S != E.At)
        Found.push_back({Own, S, E.Why.First.Pair});
  // A statement of litmus text is in no function and has one copy; a loop is one of its own wherever it is.
  if (E.How == Stand::Entering || E.How == Stand::Unrolled || !At.Where.known() ||
      At.Where.Chain.front().Function.empty())
    return Found;
  const std::vector<Place> &Chain = At.Where.Chain;
  auto [Earlier, Later] = placesOf(P, E);
  std::size_t Inside = E.How == Stand::Behind       ? 1
                       : E.How == Stand::On         ? E.Level + 1
                       : E.How == Stand::BehindCall ? levelsInside(Chain, Earlier)
                                                    : levelsInside(Chain, Later);
  // The calls that a wait stands further in belong to what both operations came through.
  std::size_t Shared = Inside + (E.How == Stand::Before ? E.Level : 0);
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    for (StatementId S = 0; S < P.Threads[T].Statements.size(); ++S) {
      const Statement &Here = P.Threads[T].Statements[S];
      // One helper posts requests of all kinds; those of one list stand in one place too.
      bool SameKind = Here.Op.Kind == At.Op.Kind ||
                      (isRequest(Here.Op.Kind) && isRequest(At.Op.Kind) && Here.Where != At.Where);
      if ((T == Own && S == E.At) || !SameKind || !sameInside(Here.Where.Chain, Chain, Inside))
        continue;
      bool NeedsPair = E.What == Remedy::Poll || E.What == Remedy::PolledGet;
      // What it stands behind is the post itself, or the call that it came through.
      bool AtPost = PlannedEdit::isBehind(E.How);
      QueuePairId Pair = !NeedsPair ? None
                         : AtPost && Here.Op.Kind == At.Op.Kind
                             ? Here.Op.Pair
                             : pairThere(P, E, T, Here.Where.Chain, Shared);
      if (!NeedsPair || Pair != None)
        Found.push_back({T, S, Pair});
    }
  return Found;
}

/// Statements that a way from the first leads to without the other on it.
static std::vector<bool> reachedWithout(const Thread &T, StatementId From, StatementId Without) {
  std::vector<bool> Seen(T.Statements.size());
  std::vector<StatementId> Work = {From};
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    for (StatementId To : T.Statements[S].Successors)
      if (To != Without && !Seen[To]) {
        Seen[To] = true;
        Work.push_back(To);
      }
  }
  return Seen;
}

/// By statement: how many of those that are marked a way from the first statement to it passes at most, not
/// counting the two, each loop once; None where no way leads.
static std::vector<unsigned> mostBetween(const Thread &T, StatementId From, const std::vector<bool> &Marked) {
  std::vector<bool> Seen(T.Statements.size());
  std::vector<StatementId> Order;
  std::vector<std::pair<StatementId, std::size_t>> Stack = {{From, 0}};
  Seen[From] = true;
  while (!Stack.empty()) {
    auto &[S, Next] = Stack.back();
    if (Next == T.Statements[S].Successors.size()) {
      Order.push_back(S);
      Stack.pop_back();
    } else if (StatementId To = T.Statements[S].Successors[Next++]; !Seen[To]) {
      Seen[To] = true;
      Stack.push_back({To, 0});
    }
  }
  std::vector<unsigned> Most(T.Statements.size(), None);
  for (std::size_t I = Order.size(); I-- > 0;) {
    StatementId S = Order[I];
    unsigned Count = S == From ? 0 : Most[S] + Marked[S];
    for (StatementId To : T.Statements[S].Successors)
      Most[To] = Most[To] == None ? Count : std::max(Most[To], Count);
  }
  return Most;
}

/// Whether a later statement may be as many rounds behind the request as a wait leaves out. Only the rounds
/// of a loop that the compiler unrolled, of which each names its buffer, can be told apart.
static std::function<bool(StatementId)> isFarBehind(const Thread &T, StatementId Request, unsigned Leaves) {
  const Statement &Posted = T.Statements[Request];
  std::vector<bool> Rounds(T.Statements.size());
  bool Unrolled = !Posted.Op.Local.Somewhere;
  for (StatementId S = 0; S < T.Statements.size(); ++S) {
    const Statement &Here = T.Statements[S];
    Rounds[S] =
        Here.Op.Kind == Posted.Op.Kind && Here.Op.Pair == Posted.Op.Pair && Here.Where == Posted.Where;
    Unrolled &= !Rounds[S] || Here.LoopDepth == 0;
  }
  if (Leaves == 0 || !Unrolled)
    return [](StatementId) { return true; };
  return
      [Most = mostBetween(T, Request, Rounds), Leaves](StatementId Later) { return Most[Later] >= Leaves; };
}

std::set<std::pair<StatementId, StatementId>> countedPairs(const Program &P, const PlannedEdit &E,
                                                           const Copy &C) {
  const Thread &T = P.Threads[C.Thread];
  const Access &Buffers = E.Why.First.Location;
  auto Uses = [&](StatementId S) {
    const Operation &Op = T.Statements[S].Op;
    return Op.Local.valid() && (mayOverlap(P, Op.Local, Buffers) || C.Thread != E.Why.First.Thread);
  };
  // Behind a post it comes with each of them. Where nothing may be left out, rounds of one loop are meant.
  const bool AtPost = PlannedEdit::isBehind(E.How);
  const bool OfOneLoop = E.How == Stand::Entering && !E.Leaves;
  std::vector<bool> In;
  if (OfOneLoop)
    In = loopOf(T, C.At);
  std::set<std::pair<StatementId, StatementId>> Found;
  for (StatementId First = 0; First < T.Statements.size(); ++First)
    if (isRequest(T.Statements[First].Op.Kind) && T.Statements[First].Op.Pair == C.Pair && Uses(First)) {
      auto IsFar = isFarBehind(T, First, E.Leaves);
      if (AtPost && First != C.At)
        continue;
      std::vector<bool> Around(T.Statements.size());
      if (!OfOneLoop && !AtPost)
        Around = reachedWithout(T, First, C.At);
      auto Passes = [&](StatementId Second) { return OfOneLoop ? In[First] && In[Second] : !Around[Second]; };
      for (StatementId Second = 0; Second < T.Statements.size(); ++Second)
        if (Uses(Second) && IsFar(Second) && Passes(Second))
          Found.insert({First, Second});
    }
  return Found;
}

Program applied(const Program &P, const std::vector<PlannedEdit> &Edits,
                std::vector<std::vector<Inserted>> *Where) {
  Inserter I(P);
  std::vector<std::vector<Inserted>> Found(Edits.size());
  // Where each is switched on and off by itself, it stands by itself.
  std::vector<unsigned> CallOf(Edits.size(), None);
  if (!Where)
    for (const std::vector<unsigned> &Call : together(Edits))
      for (unsigned E : Call)
        CallOf[E] = Call.front();
  std::map<std::tuple<unsigned, ThreadIndex, StatementId>, StatementId> Begins; // of calls
  // What stands before a loop's head is in each of its rounds: what enters the loop is before that.
  auto IsOutside = [](Stand How) { return How == Stand::Entering || How == Stand::Unrolled; };
  for (bool Outside : {true, false})
    for (std::size_t E = 0; E < Edits.size(); ++E)
      if (IsOutside(Edits[E].How) == Outside)
        for (const Copy &C : copiesOf(P, Edits[E])) {
          auto Begin = Begins.find({CallOf[E], C.Thread, C.At});
          bool Joins = CallOf[E] != None && Begin != Begins.end();
          Found[E].push_back(Joins ? I.join(Edits[E], C, Begin->second) : I.insert(Edits[E], C));
          if (CallOf[E] != None && !Joins)
            Begins[{CallOf[E], C.Thread, C.At}] = Found[E].back().Statements.front();
          if (Edits[E].Counts)
            for (auto [Request, Later] : countedPairs(P, Edits[E], C))
              I.clear(C.Thread, Request, Later);
        }
  if (Where)
    *Where = std::move(Found);
  return I.take();
}

} // namespace rdma
