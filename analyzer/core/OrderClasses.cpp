#include "analyzer/core/OrderClasses.h"

#include "analyzer/core/BlockWalk.h"

#include <algorithm>
#include <set>

namespace rdma {

/// A count that still grows around a loop after so many rounds has no end.
constexpr unsigned Rounds = 16;

namespace {
/// Blocks to be passed, in reverse postorder. What flows back waits for the next round: else each of many
/// ways back would send its share around the loop alone.
class BlockRounds {
public:
  BlockId Now = None;
  void add(BlockId B) { (Now != None && B <= Now ? Later : Work).insert(B); }
  bool next() {
    if (Work.empty())
      Work.swap(Later);
    if (Work.empty())
      return false;
    Now = *Work.begin();
    Work.erase(Work.begin());
    return true;
  }

private:
  std::set<BlockId> Work, Later;
};
} // namespace

bool mayShare(CompletionQueueId A, CompletionQueueId B) { return A == B || A == None || B == None; }
bool isPoll(const Operation &Op, CompletionQueueId Queue) {
  return Op.Kind == OperationKind::Poll && Op.Queue == Queue && Queue != None;
}

OrderClasses::OrderClasses(const Program &Code, const EventGraph &G, Model M, bool WithFences)
    : Code(Code), G(G), WithFences(WithFences), Blocks(blocksOf(G)), Base(basesOf(Blocks)),
      Bundles(Blocks.size()), Polled(G.Events.size()), Asked(requestsAsked(Code, G)),
      Outstanding(G.Events.size()), In(Blocks.size()) {
  for (unsigned K = 0; K < NumEventKinds; ++K)
    Rows.push_back(orderRow(M, static_cast<EventKind>(K)));
  for (EventId E : G.Order) {
    const Operation &Op = G.operation(Code, E);
    Polled[E] = G.Events[E].Posts && leavesForPolls(Op);
  }
  numberPairs();
  boundOutstanding();
  boundPolls();
  solve();
}

void OrderClasses::numberPairs() {
  PairIndex.assign(Code.QueuePairs.size(), None);
  for (QueuePairId Q = 0; Q < Code.QueuePairs.size(); ++Q)
    if (Code.QueuePairs[Q].Owner == G.Thread) {
      PairIndex[Q] = Pairs.size();
      Pairs.push_back(Q);
    }
}

/// How many completions at most may wait in each queue pair's completion queue: forward, maximum over paths.
void OrderClasses::boundOutstanding() {
  std::vector<std::vector<unsigned>> Before(Blocks.size());
  std::vector<std::vector<unsigned>> Grown(Blocks.size(), std::vector<unsigned>(Pairs.size()));
  for (QueuePairId Mine : Pairs) {
    // Another thread's completions in the same queue may be what a poll takes.
    bool Shared = std::any_of(Code.QueuePairs.begin(), Code.QueuePairs.end(), [&](const QueuePair &Q) {
      return Q.Owner != G.Thread && Q.Queue == Code.QueuePairs[Mine].Queue && Q.Queue != None;
    });
    Before[0].push_back(Shared ? Unbounded : 0);
  }
  BlockRounds Work;
  Work.add(0);
  while (!Pairs.empty() && Work.next()) {
    BlockId B = Work.Now;
    std::vector<unsigned> Out = Before[B];
    for (EventId E : Blocks[B].Events) {
      const Operation &Op = G.operation(Code, E);
      if (Polled[E])
        Outstanding[E] = Out[PairIndex[Op.Pair]];
      if (!Polled[E] && Op.Kind != OperationKind::Poll)
        continue;
      for (std::size_t I = 0; I < Pairs.size(); ++I) {
        CompletionQueueId Queue = Code.QueuePairs[Pairs[I]].Queue;
        if (Out[I] == Unbounded)
          continue;
        if (Polled[E] && mayShare(Code.QueuePairs[Op.Pair].Queue, Queue))
          ++Out[I];
        else if (isPoll(Op, Queue) && Out[I] > 0)
          --Out[I];
      }
    }
    for (BlockId Next : Blocks[B].Successors) {
      bool Changed = Before[Next].empty();
      if (Changed)
        Before[Next] = Out;
      for (std::size_t I = 0; I < Pairs.size(); ++I)
        if (Out[I] > Before[Next][I]) {
          bool Endless = Next <= B && ++Grown[Next][I] > Rounds;
          Before[Next][I] = Endless ? Unbounded : Out[I];
          Changed = true;
        }
      if (Changed)
        Work.add(Next);
    }
  }
}

/// How many polls of each queue pair's completion queue can come behind a block: what needs more than these
/// will never be known to be past.
void OrderClasses::boundPolls() {
  std::vector<unsigned> Component = componentsOf(Blocks);
  unsigned Count = 0;
  for (unsigned C : Component)
    Count = std::max(Count, C + 1);
  std::vector<std::vector<BlockId>> Members(Count);
  for (BlockId B = 0; B < Blocks.size(); ++B)
    Members[Component[B]].push_back(B);
  std::vector<std::vector<unsigned>> From(Count); // own polls and those behind
  auto plus = [](unsigned A, unsigned B) { return A == Unbounded || B == Unbounded ? Unbounded : A + B; };
  PollsBehind.resize(Blocks.size());
  for (unsigned C = 0; C < Count; ++C) { // successors have smaller numbers
    std::vector<unsigned> Own(Pairs.size()), Behind(Pairs.size());
    for (BlockId B : Members[C]) {
      for (EventId E : Blocks[B].Events)
        for (std::size_t I = 0; G.operation(Code, E).Kind == OperationKind::Poll && I < Pairs.size(); ++I)
          Own[I] += isPoll(G.operation(Code, E), Code.QueuePairs[Pairs[I]].Queue);
      for (BlockId Next : Blocks[B].Successors)
        for (std::size_t I = 0; Component[Next] != C && I < Pairs.size(); ++I)
          Behind[I] = std::max(Behind[I], From[Component[Next]][I]);
    }
    for (std::size_t I = 0; I < Pairs.size(); ++I)
      if (Own[I] && Blocks[Members[C].front()].InCycle)
        Behind[I] = Unbounded;
    for (BlockId B : Members[C])
      PollsBehind[B] = Behind;
    From[C].resize(Pairs.size());
    for (std::size_t I = 0; I < Pairs.size(); ++I)
      From[C][I] = plus(Own[I], Behind[I]);
  }
}

/// What holds on the way into a block holds on every way. Says whether anything was lost or is new.
bool OrderClasses::flowInto(BlockId To, const Known &Out, bool Back) {
  if (!In[To]) {
    In[To] = Out;
    return true;
  }
  bool Changed = false;
  Known Met;
  Met.reserve(std::max(In[To]->size(), Out.size()));
  auto Mine = In[To]->begin(), End = In[To]->end();
  for (const auto &[Event, Theirs] : Out) {
    while (Mine != End && Mine->first < Event)
      Met.push_back(*Mine++);
    // What is not there has not come that way, or is before everything there.
    if (Mine == End || Mine->first != Event) {
      Met.push_back({Event, Theirs});
      Changed = true;
      continue;
    }
    FactId Both = Facts.meet(Mine->second, Theirs);
    if (Both != Mine->second) {
      if (Back)
        Both = widened(To, Event, Mine->second, Both);
    }
    Changed |= Both != Mine->second;
    Met.push_back({Event, Both});
    ++Mine;
  }
  Met.insert(Met.end(), Mine, End);
  if (Changed)
    In[To] = std::move(Met);
  return Changed;
}

/// Of a count that still grows around a loop after so many rounds, only that it has no end.
FactId OrderClasses::widened(BlockId To, Member Of, FactId Before, FactId Met) {
  Fact Wide = Facts[Met], Old = Facts[Before];
  std::vector<PairFact *> Grew;
  for (PairFact &P : Wide.Pairs)
    if (P.Pending != Unbounded && P.Pending > Old.at(P.Pair).Pending)
      Grew.push_back(&P);
  if (Grew.empty() || ++Growths[{To, Of}] <= Rounds)
    return Met;
  for (PairFact *P : Grew)
    P->Pending = Unbounded;
  return Facts.id(Wide);
}

/// What is known at the end of a block, in the words of a base above: bundles of bases in between are opened.
OrderClasses::Known OrderClasses::seenFrom(BlockId Above, BlockId From, const Known &Out) const {
  Known Seen = Out;
  Known Opened;
  for (BlockId At = Base[From]; At != Above; At = Base[At]) {
    Opened.clear();
    for (const auto &[Of, Fact] : Seen)
      if (Of < G.Events.size())
        Opened.push_back({Of, Fact});
      else
        for (Member Inside : Bundles[At][Of - G.Events.size()].Members)
          Opened.push_back({Inside, Fact});
    Seen.swap(Opened);
  }
  std::sort(Seen.begin(), Seen.end());
  return Seen;
}

/// Facts on the way into each block; loops end before what comes behind them begins.
void OrderClasses::solve() {
  std::vector<unsigned> Component = componentsOf(Blocks); // successors have smaller numbers
  std::vector<std::vector<BlockId>> Members;
  for (BlockId B = 0; B < Blocks.size(); ++B) {
    Members.resize(std::max<std::size_t>(Members.size(), Component[B] + 1));
    Members[Component[B]].push_back(B);
  }
  BlockWalk Pass(*this, nullptr);
  In[0] = Known();
  for (std::size_t C = Members.size(); C-- > 0;)
    solveComponent(Members[C], Pass);
}

void OrderClasses::solveComponent(const std::vector<BlockId> &Members, BlockWalk &Pass) {
  if (Members.size() == 1 && !Blocks[Members.front()].InCycle)
    return solveOne(Members.front(), Pass);
  std::set<BlockId> Inside(Members.begin(), Members.end());
  BlockRounds Work;
  for (BlockId B : Members)
    if (In[B])
      Work.add(B);
  std::map<BlockId, Known> Last;
  while (Work.next()) {
    BlockId B = Work.Now;
    Pass.through(B);
    Known &Out = Last[B] = Pass.leave();
    for (BlockId Next : Blocks[B].Successors)
      if (Inside.contains(Next) && flowInto(Next, Out, Next <= B))
        Work.add(Next);
  }
  for (const auto &[B, Out] : Last)
    for (BlockId Next : Blocks[B].Successors)
      if (!Inside.contains(Next))
        flowInto(Next, seenFrom(Base[Next], B, Out), false);
}

void OrderClasses::solveOne(BlockId B, BlockWalk &Pass) {
  if (!In[B] || Blocks[B].Successors.empty())
    return;
  Pass.through(B);
  Pass.bundle(B);
  for (BlockId Next : Blocks[B].Successors)
    flowInto(Next, Base[Next] == B ? Pass.bundled() : seenFrom(Base[Next], B, Pass.leave()), false);
}

void OrderClasses::visit(ClassVisitor &V) {
  BlockWalk Pass(*this, &V);
  Walk = &Pass;
  std::vector<std::vector<BlockId>> Inside(Blocks.size());
  std::vector<BlockId> Work;
  for (BlockId B = Blocks.size(); B-- > 0;)
    if (In[B])
      (Base[B] == None ? Work : Inside[Base[B]]).push_back(B);
  std::vector<bool> Entered(Blocks.size());
  while (!Work.empty()) {
    BlockId B = Work.back();
    if (Entered[B]) {
      V.leaveBlock();
      Work.pop_back();
      continue;
    }
    Entered[B] = true;
    Pass.through(B);
    if (!Blocks[B].InCycle)
      Pass.bundle(B);
    Work.insert(Work.end(), Inside[B].begin(), Inside[B].end());
  }
  Walk = nullptr;
}

bool OrderClasses::before(ClassId C) const { return Walk->before(C); }

} // namespace rdma
