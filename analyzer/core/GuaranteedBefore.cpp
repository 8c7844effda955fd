#include "analyzer/core/GuaranteedBefore.h"

#include <algorithm>
#include <utility>

namespace rdma {

using enum EventKind;

/// What is known to come after the earlier event, at one point. Sets only shrink where paths meet.
struct GuaranteedBefore::State {
  /// Bit per CPU kind of which an event that stood here would be after it. What would follow is kept, not
  /// what came: one path may owe the order to a CAS and another to a fence.
  std::uint32_t Cpu = 0;
  struct PairState {
    std::uint32_t Nic = 0;        ///< the same for NIC kinds of this queue pair
    bool Delivers = false;        ///< a delivery of this queue pair is after it
    bool Completes = false;       ///< the completion of some request posted so far says that it is past
    bool AwaitsSignal = false;    ///< that request is unsignaled, and no later one has been signalled yet
    unsigned Pending = Unbounded; ///< at the latest this poll from here on is past, counted from 1
  };
  std::vector<PairState> Pairs;
  std::vector<unsigned>
      Ids; ///< per work identifier, how many of its requests say by their completion that it is past

  /// Says whether anything was lost. Widen: a count that still grows has no end.
  bool meet(const State &Other, bool Widen = false) {
    bool Lost = narrow(Cpu, Cpu & Other.Cpu);
    for (std::size_t I = 0; I < Pairs.size(); ++I) {
      PairState &Mine = Pairs[I];
      const PairState &Theirs = Other.Pairs[I];
      Lost |= narrow(Mine.Nic, Mine.Nic & Theirs.Nic);
      Lost |= narrow(Mine.Delivers, Mine.Delivers && Theirs.Delivers);
      Lost |= narrow(Mine.Completes, Mine.Completes && Theirs.Completes);
      Lost |= narrow(Mine.AwaitsSignal, Mine.AwaitsSignal && Theirs.AwaitsSignal);
      bool Endless = Widen && Theirs.Pending > Mine.Pending;
      Lost |= narrow(Mine.Pending, Endless ? Unbounded : std::max(Mine.Pending, Theirs.Pending));
    }
    for (std::size_t I = 0; I < Ids.size(); ++I)
      Lost |= narrow(Ids[I], std::min(Ids[I], Other.Ids[I]));
    return Lost;
  }

private:
  template <typename T> static bool narrow(T &Mine, T Met) { return std::exchange(Mine, Met) != Met; }
};

namespace {
constexpr std::uint32_t bit(EventKind K) { return 1u << static_cast<unsigned>(K); }

/// Completions of a queue pair whose completion queue is not known may turn up anywhere.
bool mayShare(CompletionQueueId A, CompletionQueueId B) { return A == B || A == None || B == None; }
bool isPoll(const Operation &Op, CompletionQueueId Queue) {
  return Op.Kind == OperationKind::Poll && Op.Queue == Queue && Queue != None;
}
} // namespace

GuaranteedBefore::GuaranteedBefore(const Program &Code, const EventGraph &G, Model M)
    : Code(Code), G(G), M(M), PairIndex(Code.QueuePairs.size(), None) {
  for (QueuePairId Q = 0; Q < Code.QueuePairs.size(); ++Q)
    if (Code.QueuePairs[Q].Owner == G.Thread) {
      PairIndex[Q] = Pairs.size();
      Pairs.push_back(Q);
    }
  for (EventId E = 0; E < G.Events.size(); ++E)
    Polled.push_back(G.Events[E].Posts && leavesForPolls(G.operation(Code, E)));
  Asked = requestsAsked(Code, G);
  Position.resize(G.Events.size());
  for (unsigned At = 0; At < G.Order.size(); ++At)
    Position[G.Order[At]] = At;
  boundOutstanding();
}

GuaranteedBefore::~GuaranteedBefore() = default;

/// Forward, maximum over paths. A bound that keeps growing around a loop has no end: more than every
/// request could leave in one pass.
void GuaranteedBefore::boundOutstanding() {
  const unsigned Limit = 1 + std::count(Polled.begin(), Polled.end(), true);
  Outstanding.assign(G.Events.size(), {});
  std::vector<bool> Known(G.Events.size());
  for (QueuePairId Mine : Pairs) {
    // Another thread's completions in the same queue may be what a poll takes.
    bool Shared = std::any_of(Code.QueuePairs.begin(), Code.QueuePairs.end(), [&](const QueuePair &Q) {
      return Q.Owner != G.Thread && Q.Queue == Code.QueuePairs[Mine].Queue && Q.Queue != None;
    });
    Outstanding[G.Entry].push_back(Shared ? Unbounded : 0);
  }
  Known[G.Entry] = true;
  std::vector<unsigned> Out;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (EventId E : G.Order) {
      Out = Outstanding[E];
      const Operation &Op = G.operation(Code, E);
      for (std::size_t I = 0; I < Pairs.size(); ++I) {
        CompletionQueueId Queue = Code.QueuePairs[Pairs[I]].Queue;
        if (Polled[E] && mayShare(Code.QueuePairs[Op.Pair].Queue, Queue) && Out[I] != Unbounded)
          Out[I] = Out[I] + 1 > Limit ? Unbounded : Out[I] + 1;
        if (!G.Events[E].Joins && isPoll(Op, Queue) && Out[I] != Unbounded && Out[I] > 0)
          --Out[I];
      }
      for (EventId Next : G.Events[E].Successors) {
        if (!Known[Next]) {
          Outstanding[Next] = Out;
          Known[Next] = Changed = true;
          continue;
        }
        for (std::size_t I = 0; I < Pairs.size(); ++I)
          if (Out[I] > Outstanding[Next][I]) {
            Outstanding[Next][I] = Out[I];
            Changed = true;
          }
      }
    }
  }
}

/// The event is after the earlier one: so is all that its row of the table keeps behind it.
void GuaranteedBefore::add(State &S, EventKind Kind, QueuePairId Pair) const {
  for (unsigned L = 0; L < NumEventKinds; ++L) {
    auto Later = static_cast<EventKind>(L);
    Order O = observedOrder(M, Kind, Later);
    if (O == Order::None)
      continue;
    if (!isNic(Later))
      S.Cpu |= bit(Later);
    for (std::size_t I = 0; isNic(Later) && I < Pairs.size(); ++I)
      if (O == Order::Kept || Pairs[I] == Pair)
        S.Pairs[I].Nic |= bit(Later);
  }
}

/// A request has been posted: its completion may tell that an event after the earlier one is past.
void GuaranteedBefore::post(State &S, EventId E) const {
  const Operation &Op = G.operation(Code, E);
  const QueuePair &Pair = Code.QueuePairs[Op.Pair];
  bool Signaled = Polled[E];
  for (std::size_t I = 0; I < Pairs.size(); ++I) {
    State::PairState &Other = S.Pairs[I];
    bool Same = Pairs[I] == Op.Pair;
    if (Same && Other.Completes && Op.Id != None)
      S.Ids[Op.Id] = std::min(S.Ids[Op.Id] + 1, Asked[Op.Id]);
    if (Same && Other.AwaitsSignal && Signaled) {
      unsigned Before = Outstanding[E][I];
      Other.Pending = std::min(Other.Pending, Before == Unbounded ? Unbounded : Before + 1);
      Other.AwaitsSignal = false;
    }
    // Its completion may overtake those of other queue pairs in the same completion queue.
    if (!Same && Signaled && mayShare(Code.QueuePairs[Pairs[I]].Queue, Pair.Queue) &&
        Other.Pending != Unbounded)
      ++Other.Pending;
  }
}

/// Says whether the poll is known to take, or the wait to cover, a completion that comes after the earlier
/// event.
bool GuaranteedBefore::poll(State &S, EventId E) const {
  const Operation &Op = G.operation(Code, E);
  bool Past = Op.Kind == OperationKind::Wait && S.Ids[Op.Id] > static_cast<std::uint64_t>(Op.Constant);
  for (std::size_t I = 0; I < Pairs.size(); ++I) {
    unsigned &Pending = S.Pairs[I].Pending;
    if (!isPoll(Op, Code.QueuePairs[Pairs[I]].Queue) || Pending == Unbounded)
      continue;
    // Polls keep their order: once one of them is past, so is each that follows.
    if (Pending == 1)
      Past = true;
    else
      --Pending;
  }
  if (Past)
    add(S, P, None);
  return Past;
}

/// Passes one event; says whether it is after the earlier one.
bool GuaranteedBefore::step(State &S, EventId E, bool IsEarlier) const {
  const EventRef &Ref = G.Events[E].Ref;
  if (G.Events[E].Joins)
    return false;
  State::PairState *Pair = isNic(Ref.Kind) ? &S.Pairs[PairIndex[Ref.Pair]] : nullptr;
  bool After = (Pair ? Pair->Nic : S.Cpu) & bit(Ref.Kind);
  // [nlW];(po & sqp);[nF];(po & sqp);[nlR or nrW]: a put's nrW comes after its own nlR. An inline put has no
  // nlR, whose rule is what pushes the delivery into memory; its nrW stays open.
  if (Ref.Kind == nF && Pair->Delivers)
    Pair->Nic |= bit(nlR);
  if (After || IsEarlier) {
    add(S, Ref.Kind, Ref.Pair);
    // pf orders a poll after the source read of a put and after a delivery.
    if (Ref.Kind == nlR || Ref.Kind == nlW)
      Pair->Completes = Pair->AwaitsSignal = true;
    if (Ref.Kind == nlW)
      Pair->Delivers = true;
    // What has arrived says nothing of its source, which the NIC may have to send again.
    if (Ref.Kind == nrW && !Pair->Completes)
      if (WorkId Heard = G.operation(Code, E).Heard; Heard != None)
        S.Ids[Heard] = std::max(S.Ids[Heard], 1u);
  }
  if (Ref.Kind == P)
    After |= poll(S, E);
  if (G.Events[E].Posts)
    post(S, E);
  return After;
}

GuaranteedBefore::After GuaranteedBefore::after(EventId Earlier) const {
  State Fresh;
  Fresh.Pairs.resize(Pairs.size());
  Fresh.Ids.resize(Code.WorkIds.size());
  Scratch.resize(G.Events.size());
  After Result{std::vector<bool>(G.Events.size()), std::vector<bool>(G.Events.size())};
  std::vector<bool> Stale(G.Order.size());
  constexpr unsigned Rounds = 64; // more than any loop needs to settle
  std::vector<unsigned> Met(G.Events.size());
  unsigned Left = 0; // how many are stale
  auto Flow = [&](const State &Out, EventId E) {
    for (EventId Next : G.Events[E].Successors) {
      bool New = !Result.Reached[Next];
      if (New)
        Scratch[Next] = Out;
      Result.Reached[Next] = true;
      if ((New || Scratch[Next].meet(Out, ++Met[Next] > Rounds)) && !Stale[Position[Next]]) {
        Stale[Position[Next]] = true;
        ++Left;
      }
    }
  };
  State Out = Fresh;
  step(Out, Earlier, true);
  Flow(Out, Earlier);
  State Next;
  for (std::size_t At = Position[Earlier]; Left != 0; At = At + 1 == G.Order.size() ? 0 : At + 1) {
    if (!Stale[At])
      continue;
    Stale[At] = false;
    --Left;
    EventId E = G.Order[At];
    Next = Scratch[E];
    Result.Ordered[E] = step(Next, E, false);
    // Around a loop the event is an earlier one anew.
    if (E == Earlier)
      Next.meet(Out);
    Flow(Next, E);
  }
  return Result;
}

} // namespace rdma
