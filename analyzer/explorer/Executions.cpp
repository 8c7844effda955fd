#include "analyzer/explorer/Executions.h"

#include <utility>

namespace rdma::explorer {

using enum EventKind;

void PreExecution::append(const ThreadTrace &T, ThreadIndex Index) {
  unsigned Shift = Events.size();
  if (Shift + T.Events.size() > 64)
    throw Unsupported({}, "more than 64 events");
  auto Move = [&](Sum &S) {
    for (auto &R : S.Reads)
      R.second += Shift;
  };
  for (Event E : T.Events) {
    Move(E.Writes);
    for (unsigned &W : E.PollsFrom)
      W += Shift;
    if (E.AtomicRead != None)
      E.AtomicRead += Shift;
    Events.push_back(std::move(E));
    Thread.push_back(Index);
  }
  for (Requirement R : T.Requirements) {
    R.Read += Shift;
    Move(R.Value);
    Requirements.push_back(std::move(R));
  }
}

bool Execution::isSequentiallyConsistent() const {
  unsigned Count = Graph.Events.size();
  Relation Sc, Rb;
  for (unsigned A = 0; A < Count; ++A)
    for (unsigned B = 0; B < Count; ++B) {
      if (A < B && Graph.Thread[A] == Graph.Thread[B])
        Sc.add(A, B);
      if (Mo.has(A, B))
        Sc.add(A, B);
      bool Overwrites = reads(Graph.Events[A].Kind) && writes(Graph.Events[B].Kind) && A != B &&
                        Graph.Events[A].Location == Graph.Events[B].Location;
      if (Overwrites && (ReadsFrom[A] == None || Mo.has(ReadsFrom[A], B))) {
        Sc.add(A, B);
        Rb.add(A, B);
      }
    }
  for (unsigned R = 0; R < Count; ++R)
    if (ReadsFrom[R] != None)
      Sc.add(ReadsFrom[R], R);
  for (unsigned W = 0; W < Count; ++W)
    if (unsigned Read = Graph.Events[W].AtomicRead; Read != None)
      for (unsigned Between = 0; Between < Count; ++Between)
        if (Rb.has(Read, Between) && Mo.has(Between, W))
          return false;
  Sc.close(Count);
  return Sc.irreflexive(Count);
}

ExecutionSearch::ExecutionSearch(const Program &P, const PreExecution &G, Model M)
    : P(P), G(G), M(M), Count(G.Events.size()), E{G, std::vector<unsigned>(Count, None), {}, {}} {
  for (unsigned I = 0; I < Count; ++I)
    if (isInstantaneous(I))
      Instantaneous |= std::uint64_t(1) << I;
  programOrder();
  collectPairs();
}

bool ExecutionSearch::isInstantaneous(unsigned I) const {
  EventKind K = G.Events[I].Kind;
  return K != nlW && K != nrW && K != narW && !(K == lW && M == Model::RdmaTso);
}

/// ippo, oppo and pf.
void ExecutionSearch::programOrder() {
  for (unsigned A = 0; A < Count; ++A)
    for (unsigned B = A + 1; B < Count && G.Thread[A] == G.Thread[B]; ++B) {
      const Event &First = G.Events[A], &Second = G.Events[B];
      auto kept = [&](Order O) {
        return O == Order::Kept || (O == Order::SameQueuePair && First.Pair == Second.Pair);
      };
      // A request fence does not wait for puts.
      if (Second.RequestFence && (First.Kind == nlR || First.Kind == nrW))
        continue;
      if (kept(issuedOrder(M, First.Kind, Second.Kind)))
        Base.Issued.add(A, B);
      if (kept(observedOrder(M, First.Kind, Second.Kind)))
        Base.Observed.add(A, B);
    }
  for (unsigned Poll = 0; Poll < Count; ++Poll)
    for (unsigned W : G.Events[Poll].PollsFrom) {
      Base.Issued.add(W, Poll);
      if (G.Events[W].Kind == nlW)
        Base.Observed.add(W, Poll);
    }
}

void ExecutionSearch::collectPairs() {
  for (unsigned A = 0; A < Count; ++A)
    for (unsigned B = A + 1; B < Count; ++B) {
      const Event &First = G.Events[A], &Second = G.Events[B];
      if (writes(First.Kind) && writes(Second.Kind) && First.Location == Second.Location)
        MoPairs.push_back({Pair::Kind::Mo, A, B});
      if (First.Kind == narR && Second.Kind == narR &&
          P.Objects[First.Location].Home == P.Objects[Second.Location].Home)
        OtherPairs.push_back({Pair::Kind::Rao, A, B});
      auto flushes = [](EventKind R, EventKind W) {
        return (R == nlR && W == nlW) || ((R == nrR || R == narR) && (W == nrW || W == narW));
      };
      bool SamePair = First.Pair != None && First.Pair == Second.Pair;
      if (SamePair && (flushes(First.Kind, Second.Kind) || flushes(Second.Kind, First.Kind)))
        OtherPairs.push_back({Pair::Kind::Nfo, A, B});
    }
}

/// ib and ob extend each other through instantaneous events, up to a fixpoint. False for a cycle.
bool ExecutionSearch::close(Orders &O) const {
  while (true) {
    O.Issued.close(Count);
    for (unsigned A = 0; A < Count; ++A)
      if (Instantaneous >> A & 1)
        O.Observed[A] |= O.Issued[A];
    O.Observed.close(Count);
    bool Changed = false;
    for (unsigned A = 0; A < Count; ++A) {
      std::uint64_t More = O.Observed[A] & Instantaneous & ~O.Issued[A];
      O.Issued[A] |= More;
      Changed |= More != 0;
    }
    if (!O.Issued.irreflexive(Count) || !O.Observed.irreflexive(Count))
      return false;
    if (!Changed)
      return true;
  }
}

std::vector<ExecutionSearch::Orders> ExecutionSearch::fromProgramOrder() const {
  std::vector<Orders> All = {Base}, More;
  auto choose = [&](auto Change) {
    for (const Orders &O : All)
      for (bool First : {true, false}) {
        Orders Next = O;
        Change(Next, First);
        if (close(Next))
          More.push_back(Next);
      }
    All = std::exchange(More, {});
  };
  for (const Pair &Pr : OtherPairs)
    if (Pr.What == Pair::Kind::Nfo)
      choose([&](Orders &O, bool Forward) {
        O.Issued.add(Forward ? Pr.A : Pr.B, Forward ? Pr.B : Pr.A);
        O.Observed.add(Forward ? Pr.A : Pr.B, Forward ? Pr.B : Pr.A);
      });
  for (unsigned W = 0; W < Count; ++W)
    for (unsigned R = W + 1; R < Count; ++R)
      if (isBuffered(W, R) && G.Events[W].Location == G.Events[R].Location)
        choose([&](Orders &O, bool Sees) {
          if (!Sees)
            O.Issued.add(R, W);
        });
  for (Orders &O : All)
    close(O);
  return All;
}

void ExecutionSearch::run(const std::function<bool(const Execution &)> &WantedFn,
                          const std::function<bool(const Execution &)> &FoundFn) {
  Wanted = &WantedFn;
  Found = &FoundFn;
  Orders Start = Base;
  if (close(Start))
    chooseReads(0, Start);
}

/// rf_b: served by the store buffer of the thread itself.
bool ExecutionSearch::isBuffered(unsigned Write, unsigned Read) const {
  return M == Model::RdmaTso && G.Events[Write].Kind == lW && G.Events[Read].Kind == lR &&
         G.Thread[Write] == G.Thread[Read];
}

/// False: stop the whole search.
bool ExecutionSearch::chooseReads(unsigned I, const Orders &O) {
  if (++Choices % 256 == 0 && OutOfTime && OutOfTime())
    return false;
  while (I < Count && !reads(G.Events[I].Kind))
    ++I;
  if (I == Count) {
    if (!computeValues())
      return true;
    return chooseOrders(0, O);
  }
  E.ReadsFrom[I] = None;
  // A read of the initial value comes before every write of the location.
  Orders Initial = O;
  for (unsigned W = 0; W < Count; ++W)
    if (W != I && writes(G.Events[W].Kind) && G.Events[W].Location == G.Events[I].Location) {
      Initial.Observed.add(I, W);
      if (isBuffered(W, I))
        Initial.Issued.add(I, W); // rb_b
    }
  if (close(Initial) && !chooseReads(I + 1, Initial))
    return false;
  for (unsigned W = 0; W < Count; ++W) {
    if (W == I || !writes(G.Events[W].Kind) || G.Events[W].Location != G.Events[I].Location)
      continue;
    E.ReadsFrom[I] = W;
    Orders Next = O;
    Next.Issued.add(W, I);
    if (!isBuffered(W, I))
      Next.Observed.add(W, I);
    if (close(Next) && !chooseReads(I + 1, Next))
      return false;
  }
  E.ReadsFrom[I] = None;
  return true;
}

void ExecutionSearch::order(Orders &O, const Pair &Pr, bool Forward) {
  unsigned A = Forward ? Pr.A : Pr.B, B = Forward ? Pr.B : Pr.A;
  O.Observed.add(A, B);
  if (Pr.What == Pair::Kind::Nfo)
    O.Issued.add(A, B);
  if (Pr.What == Pair::Kind::Rao) // ar ; rao
    for (unsigned W = 0; W < Count; ++W)
      if (G.Events[W].AtomicRead == A)
        O.Observed.add(W, B);
  if (Pr.What != Pair::Kind::Mo)
    return;
  for (unsigned R = 0; R < Count; ++R) // rb
    if (reads(G.Events[R].Kind) && E.ReadsFrom[R] == A && R != B) {
      O.Observed.add(R, B);
      if (isBuffered(B, R))
        O.Issued.add(R, B);
    }
}

bool ExecutionSearch::chooseOrders(unsigned Index, const Orders &O) {
  if (++Choices % 256 == 0 && OutOfTime && OutOfTime())
    return false;
  if (Index == MoPairs.size()) {
    computeFinal();
    if ((*Wanted)(E) && completes(0, O))
      return (*Found)(E);
    return true;
  }
  const Pair &Pr = MoPairs[Index];
  for (bool Forward : {true, false}) {
    unsigned A = Forward ? Pr.A : Pr.B, B = Forward ? Pr.B : Pr.A;
    if (O.Observed.has(B, A))
      continue;
    Orders Next = O;
    order(Next, Pr, Forward);
    if (!close(Next))
      continue;
    E.Mo.add(A, B);
    bool GoOn = chooseOrders(Index + 1, Next);
    E.Mo[A] &= ~(std::uint64_t(1) << B);
    if (!GoOn)
      return false;
  }
  return true;
}

/// Is there any choice of rao and nfo?
bool ExecutionSearch::completes(unsigned Index, const Orders &O) {
  ++Choices;
  if (Index == OtherPairs.size())
    return true;
  for (bool Forward : {true, false}) {
    Orders Next = O;
    order(Next, OtherPairs[Index], Forward);
    if (close(Next) && completes(Index + 1, Next))
      return true;
  }
  return false;
}

std::int64_t ExecutionSearch::valueOf(unsigned Write) {
  return Write == None ? 0 : sum(G.Events[Write].Writes);
}

/// Ends: values follow ippo and rf, which have no cycle.
std::int64_t ExecutionSearch::sum(const Sum &S) {
  std::int64_t Value = S.Constant;
  for (auto [Sign, Read] : S.Reads) {
    unsigned From = E.ReadsFrom[Read];
    Value += Sign * (From == None ? P.Objects[G.Events[Read].Location].Initial : valueOf(From));
  }
  return Value;
}

bool ExecutionSearch::computeValues() {
  for (const Requirement &R : G.Requirements)
    if ((sum({0, {{1, R.Read}}}) == sum(R.Value)) != R.Equal)
      return false;
  return true;
}

void ExecutionSearch::computeFinal() {
  E.Final.clear();
  for (const Object &O : P.Objects)
    E.Final.push_back(O.Initial);
  for (unsigned W = 0; W < Count; ++W)
    if (writes(G.Events[W].Kind) && E.Mo[W] == 0)
      E.Final[G.Events[W].Location] = valueOf(W);
}

} // namespace rdma::explorer
