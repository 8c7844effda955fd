#include "analyzer/core/BlockWalk.h"

#include <algorithm>
#include <utility>

namespace rdma {

using enum EventKind;

BlockWalk::BlockWalk(OrderClasses &Gb, ClassVisitor *Visitor)
    : Gb(Gb), Visitor(Visitor), ByHome(Gb.Pairs.size() + 1), ClassOf(Gb.G.Events.size(), None),
      PollsSeen(Gb.Pairs.size()), PollsLeft(Gb.Pairs.size()) {}

void BlockWalk::through(BlockId B) {
  enter(B);
  for (EventId E : Gb.Blocks[B].Events)
    pass(E);
}

void BlockWalk::enter(BlockId B) {
  Now = B;
  Classes.clear();
  for (auto &Home : ByHome)
    Home.clear();
  std::fill(PollsSeen.begin(), PollsSeen.end(), 0);
  std::fill(PollsLeft.begin(), PollsLeft.end(), 0);
  Members = 0;
  for (OrderClasses::Member Of : Followed)
    ClassOf[Of] = None;
  Followed.clear();
  for (EventId E : Gb.Blocks[B].Events)
    countPolls(E, 1);
  if (Visitor)
    Visitor->enterBlock();
  std::unordered_map<FactId, ClassId> Begun;
  unsigned Events = Gb.G.Events.size();
  for (auto [Of, Id] : *Gb.In[B]) {
    auto [Found, New] = Begun.try_emplace(Id, None);
    if (New)
      Found->second = make(Gb.Facts[Id], homeOf(Of));
    if (Of >= ClassOf.size())
      ClassOf.resize(Of + 1, None);
    ClassOf[Of] = Found->second;
    Followed.push_back(Of);
    Classes[Found->second].Members += weightOf(Of);
    Members += weightOf(Of);
    if (Visitor && Of < Events)
      Visitor->joins(Of, Found->second);
    else if (Visitor)
      Visitor->brings(Of - Events, Found->second);
  }
}

unsigned BlockWalk::homeOf(OrderClasses::Member Of) const {
  unsigned Events = Gb.G.Events.size();
  return Of < Events ? homeOf(Gb.G.Events[Of].Ref) : Gb.Bundles[Gb.Base[Now]][Of - Events].Home;
}

std::uint64_t BlockWalk::weightOf(OrderClasses::Member Of) const {
  unsigned Events = Gb.G.Events.size();
  return Of < Events ? 1 : Gb.Bundles[Gb.Base[Now]][Of - Events].Weight;
}

/// Polls are counted from the beginning of the block while it is passed, and from its end behind it.
FactId BlockWalk::factBehind(ClassId C) {
  Fact F = Classes[C].What;
  for (PairFact &P : F.Pairs)
    if (P.Pending != Unbounded)
      P.Pending -= PollsSeen[P.Pair];
  return Gb.Facts.id(F);
}

OrderClasses::Known BlockWalk::leave() {
  OrderClasses::Known Out;
  std::vector<FactId> Ids(Classes.size(), None);
  for (OrderClasses::Member Of : Followed) {
    ClassId C = rootOf(ClassOf[Of]);
    if (Classes[C].Retired)
      continue;
    if (Ids[C] == None)
      Ids[C] = factBehind(C);
    Out.push_back({Of, Ids[C]});
  }
  std::sort(Out.begin(), Out.end());
  return Out;
}

void BlockWalk::bundle(BlockId B) {
  std::vector<OrderClasses::Bundle> &All = Gb.Bundles[B];
  std::vector<unsigned> NumberOf(Classes.size(), None);
  All.clear();
  BundleFacts.clear();
  for (OrderClasses::Member Of : Followed) {
    ClassId C = rootOf(ClassOf[Of]);
    if (Classes[C].Retired)
      continue;
    if (NumberOf[C] == None) {
      NumberOf[C] = All.size();
      All.push_back({{}, Classes[C].Members, Classes[C].Home});
      BundleFacts.push_back(factBehind(C));
      if (Visitor)
        Visitor->bundles(NumberOf[C], C);
    }
    All[NumberOf[C]].Members.push_back(Of);
  }
}

OrderClasses::Known BlockWalk::bundled() {
  OrderClasses::Known All;
  for (unsigned N = 0; N < BundleFacts.size(); ++N)
    All.push_back({static_cast<OrderClasses::Member>(Gb.G.Events.size() + N), BundleFacts[N]});
  return All;
}

void BlockWalk::countPolls(EventId E, int By) {
  const Operation &Op = Gb.G.operation(Gb.Code, E);
  if (Op.Kind != OperationKind::Poll)
    return;
  for (std::size_t I = 0; I < Gb.Pairs.size(); ++I)
    if (isPoll(Op, Gb.Code.QueuePairs[Gb.Pairs[I]].Queue)) {
      PollsLeft[I] += By;
      PollsSeen[I] += By < 0;
    }
}

void BlockWalk::pass(EventId E) {
  Current = E;
  bool IsAccess = Gb.WithFences || Gb.G.Events[E].Ref.Location.valid();
  if (IsAccess && Visitor)
    tell(E);
  std::optional<Fact> Before = takeOut(E);
  if (Before)
    step(*Before, E);
  for (unsigned Home : homesTouched(E))
    stepHome(Home, E);
  if (Gb.G.Events[E].Ref.Kind == P)
    countPolls(E, -1);
  if (IsAccess)
    track(E, std::move(Before));
}

void BlockWalk::tell(EventId E) {
  std::uint64_t Ordered = 0;
  auto count = [&](unsigned Home) {
    for (ClassId C : ByHome[Home])
      Ordered += isBefore(Classes[C]) ? Classes[C].Members : 0;
  };
  unsigned Cpu = Gb.Pairs.size(), Own = homeOf(Gb.G.Events[E].Ref);
  if (Own != Cpu)
    count(Own);
  count(Cpu);
  if (Gb.G.Events[E].Ref.Kind == P) // it may also learn of any
    for (unsigned Home = 0; Home < Cpu; ++Home)
      count(Home);
  Visitor->at({E, Members - Ordered});
}

unsigned BlockWalk::homeOf(const EventRef &E) const {
  return isNic(E.Kind) ? Gb.PairIndex[E.Pair] : Gb.Pairs.size();
}

ClassId BlockWalk::rootOf(ClassId C) {
  while (Classes[C].MergedInto != None) {
    ClassId &Up = Classes[C].MergedInto;
    if (Classes[Up].MergedInto != None)
      Up = Classes[Up].MergedInto;
    C = Up;
  }
  return C;
}

bool BlockWalk::isBefore(const Class &C) const {
  const EventRef &Ref = Gb.G.Events[Current].Ref;
  if (C.Retired)
    return true;
  if (!isNic(Ref.Kind))
    return (C.What.Cpu & bit(Ref.Kind)) || (Ref.Kind == P && learns(C.What, Current));
  if (C.What.EveryPair)
    return true;
  for (const PairFact &P : C.What.Pairs)
    if (P.Pair == Gb.PairIndex[Ref.Pair])
      return P.Nic & bit(Ref.Kind);
  return false;
}

/// Members of which homes the event says something about.
std::vector<unsigned> BlockWalk::homesTouched(EventId E) const {
  const EventRef &Ref = Gb.G.Events[E].Ref;
  const Operation &Op = Gb.G.operation(Gb.Code, E);
  unsigned Cpu = Gb.Pairs.size();
  std::vector<unsigned> Homes;
  if (isNic(Ref.Kind)) {
    unsigned Own = Gb.PairIndex[Ref.Pair];
    Homes.push_back(Own);
    CompletionQueueId Queue = Gb.Code.QueuePairs[Ref.Pair].Queue;
    for (unsigned I = 0; Gb.Polled[E] && I < Cpu; ++I)
      if (I != Own && mayShare(Gb.Code.QueuePairs[Gb.Pairs[I]].Queue, Queue))
        Homes.push_back(I);
  } else if (Ref.Kind == P) {
    for (unsigned I = 0; I < Cpu; ++I)
      if (Op.Kind == OperationKind::Wait || isPoll(Op, Gb.Code.QueuePairs[Gb.Pairs[I]].Queue))
        Homes.push_back(I);
  } else if (Ref.Kind != CAS && Ref.Kind != F) {
    return {}; // rows of the other kinds of the CPU keep no more than what they come after
  }
  Homes.push_back(Cpu);
  return Homes;
}

void BlockWalk::stepHome(unsigned Home, EventId E) {
  std::vector<ClassId> Changed;
  auto &Here = ByHome[Home];
  for (std::size_t I = 0; I < Here.size();) {
    ClassId C = Here[I];
    bool New = step(Classes[C].What, E);
    if (New && Classes[C].What.everything()) {
      retire(C);
      Here[I] = Here.back();
      Here.pop_back();
      continue;
    }
    if (New)
      Changed.push_back(C);
    ++I;
  }
  mergeEqual(Home, std::move(Changed));
}

/// What the event adds to a fact. Says whether facts that differed may have become equal: polls, and posts
/// that other completions may overtake, count for all alike.
bool BlockWalk::step(Fact &What, EventId E) const {
  const EventRef &Ref = Gb.G.Events[E].Ref;
  if (isNic(Ref.Kind)) {
    bool Changed = hear(What, E);
    Changed |= follow(What, Ref);
    return (Gb.G.Events[E].Posts && post(What, E)) || Changed;
  }
  if (Ref.Kind == P && learns(What, E)) {
    What.becomeEverything();
    return true;
  }
  if (!(What.Cpu & bit(Ref.Kind)))
    return false;
  const OrderRow &Row = Gb.Rows[static_cast<unsigned>(Ref.Kind)];
  bool Changed = (Row.Cpu & ~What.Cpu) || (Row.EveryPair && !What.EveryPair);
  What.Cpu |= Row.Cpu;
  What.EveryPair |= Row.EveryPair;
  if (What.everything())
    What.becomeEverything();
  return Changed;
}

/// A message that is answered comes after the earlier event: the answer says that it is past. What has
/// arrived says nothing of its source, which the NIC may have to send again.
bool BlockWalk::hear(Fact &What, EventId E) const {
  const EventRef &Ref = Gb.G.Events[E].Ref;
  const WorkId Heard = Ref.Kind == nrW ? Gb.G.operation(Gb.Code, E).Heard : None;
  if (Heard == None)
    return false;
  const PairFact *Own = What.find(Gb.PairIndex[Ref.Pair]);
  const bool After = What.EveryPair || (Own && (Own->Nic & bit(nrW)));
  return After && !(Own && Own->Completes) && addId(What, Heard, 1);
}

bool BlockWalk::follow(Fact &What, const EventRef &Ref) const {
  unsigned Own = Gb.PairIndex[Ref.Pair];
  PairFact *Known = What.find(Own);
  if (!Known && !What.EveryPair)
    return false;
  PairFact Old = Known ? *Known : PairFact{Own}, New = Old;
  bool After = What.EveryPair || (Old.Nic & bit(Ref.Kind));
  // [nlW];(po & sqp);[nF];(po & sqp);[nlR or nrW]: a put's nrW comes after its own nlR. An inline put has no
  // nlR, whose rule is what pushes the delivery into memory; its nrW stays open.
  if (Ref.Kind == nF && Old.Delivers)
    New.Nic |= bit(nlR);
  if (After) {
    if (!What.EveryPair)
      New.Nic |= Gb.Rows[static_cast<unsigned>(Ref.Kind)].Nic;
    // pf orders a poll after the source read of a put and after a delivery.
    if (Ref.Kind == nlR || Ref.Kind == nlW)
      New.Completes = New.AwaitsSignal = true;
    New.Delivers |= Ref.Kind == nlW;
  }
  if (New == Old)
    return false;
  What.at(Own) = New;
  return true;
}

/// One more request with the identifier, as long as it matters how many there are.
bool BlockWalk::addId(Fact &What, WorkId Id, unsigned Most) {
  auto Known = std::equal_range(What.Ids.begin(), What.Ids.end(), Id);
  if (static_cast<unsigned>(Known.second - Known.first) >= Most)
    return false;
  What.Ids.insert(Known.first, Id);
  return true;
}

/// A request has been posted: its completion may tell that an event after the earlier one is past.
bool BlockWalk::post(Fact &What, EventId E) const {
  const Operation &Op = Gb.G.operation(Gb.Code, E);
  unsigned Own = Gb.PairIndex[Op.Pair];
  bool Signaled = Gb.Polled[E], Changed = false;
  for (PairFact &P : What.Pairs) {
    if (P.Pair == Own) {
      if (P.Completes && Op.Id != None)
        Changed |= addId(What, Op.Id, Gb.Asked[Op.Id]);
      if (P.AwaitsSignal && Signaled) {
        unsigned Before = Gb.Outstanding[E];
        P.Pending = std::min(P.Pending, Before == Unbounded ? Unbounded : pending(P.Pair, Before + 1));
        P.AwaitsSignal = false;
        Changed = true;
      }
    } else if (Signaled && P.Pending != Unbounded &&
               mayShare(Gb.Code.QueuePairs[Gb.Pairs[P.Pair]].Queue, Gb.Code.QueuePairs[Op.Pair].Queue)) {
      // Its completion may overtake those of other queue pairs in the same completion queue.
      P.Pending = pending(P.Pair, P.Pending - PollsSeen[P.Pair] + 1);
      Changed |= P.Pending == Unbounded;
    }
  }
  return Changed;
}

/// So many more polls, counted from the beginning of the block; Unbounded when there are not as many.
unsigned BlockWalk::pending(unsigned Pair, unsigned More) const {
  unsigned Behind = Gb.PollsBehind[Now][Pair];
  if (Behind != Unbounded && More > PollsLeft[Pair] + Behind)
    return Unbounded;
  return PollsSeen[Pair] + More;
}

/// Is the poll known to take, or the wait to cover, a completion that comes after the earlier event? Polls
/// keep their order: once one of them is past, so is each that follows.
bool BlockWalk::learns(const Fact &What, EventId E) const {
  const Operation &Op = Gb.G.operation(Gb.Code, E);
  if (Op.Kind == OperationKind::Wait)
    return std::count(What.Ids.begin(), What.Ids.end(), Op.Id) > Op.Constant;
  return std::any_of(What.Pairs.begin(), What.Pairs.end(), [&](const PairFact &P) {
    return P.Pending == PollsSeen[P.Pair] + 1 && isPoll(Op, Gb.Code.QueuePairs[Gb.Pairs[P.Pair]].Queue);
  });
}

/// What is known behind an access of the access itself.
Fact BlockWalk::fresh(EventId E) const {
  const EventRef &Ref = Gb.G.Events[E].Ref;
  const OrderRow &Row = Gb.Rows[static_cast<unsigned>(Ref.Kind)];
  Fact What{Row.Cpu, Row.EveryPair};
  if (isNic(Ref.Kind)) {
    bool Ends = Ref.Kind == nlR || Ref.Kind == nlW;
    What.Pairs.push_back({Gb.PairIndex[Ref.Pair], Row.Nic, Ref.Kind == nlW, Ends, Ends});
    if (WorkId Heard = Gb.G.operation(Gb.Code, E).Heard; Ref.Kind == nrW && Heard != None)
      What.Ids.push_back(Heard);
    if (Gb.G.Events[E].Posts)
      post(What, E);
  }
  return What;
}

ClassId BlockWalk::make(Fact What, unsigned Home) {
  Classes.push_back({std::move(What), Home});
  ByHome[Home].push_back(Classes.size() - 1);
  return Classes.size() - 1;
}

/// Around a loop the access is an earlier one anew.
std::optional<Fact> BlockWalk::takeOut(EventId E) {
  if (ClassOf[E] == None)
    return std::nullopt;
  Class &C = Classes[rootOf(ClassOf[E])];
  if (C.Retired)
    return std::nullopt;
  --C.Members;
  --Members;
  return C.What;
}

void BlockWalk::track(EventId E, std::optional<Fact> Before) {
  Fact What = fresh(E);
  if (What.everything())
    return;
  if (Before && !Before->everything())
    What = What.meet(*Before);
  unsigned Home = homeOf(Gb.G.Events[E].Ref);
  auto Same = std::find_if(ByHome[Home].begin(), ByHome[Home].end(),
                           [&](ClassId C) { return Classes[C].What == What; });
  ClassId C = Same == ByHome[Home].end() ? make(std::move(What), Home) : *Same;
  ++Classes[C].Members;
  ++Members;
  if (ClassOf[E] == None)
    Followed.push_back(E);
  ClassOf[E] = C;
  if (Visitor)
    Visitor->joins(E, C);
}

void BlockWalk::retire(ClassId C) {
  Classes[C].Retired = true;
  Members -= Classes[C].Members;
  if (Visitor)
    Visitor->retires(C);
}

void BlockWalk::merge(ClassId From, ClassId Into) {
  Classes[From].MergedInto = Into;
  Classes[Into].Members += std::exchange(Classes[From].Members, 0);
  auto &Here = ByHome[Classes[From].Home];
  *std::find(Here.begin(), Here.end(), From) = Here.back();
  Here.pop_back();
  if (Visitor)
    Visitor->merges(From, Into);
}

/// Only facts that the event has changed can have become equal to others.
void BlockWalk::mergeEqual(unsigned Home, std::vector<ClassId> Changed) {
  if (Changed.size() > 4) { // all at once
    std::unordered_map<FactId, ClassId> First;
    for (ClassId C : std::vector<ClassId>(ByHome[Home]))
      if (auto [Found, New] = First.try_emplace(Gb.Facts.id(Classes[C].What), C); !New)
        merge(C, Found->second);
    return;
  }
  for (ClassId C : Changed) {
    if (Classes[C].MergedInto != None)
      continue;
    for (ClassId Other : ByHome[Home])
      if (Other != C && Classes[Other].What == Classes[C].What) {
        merge(C, Other);
        break;
      }
  }
}

} // namespace rdma
