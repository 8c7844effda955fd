// What the store is held against.
#include "Stores.h"

#include <algorithm>

namespace rdma::bench {

void stepping::begin() {
  Busy = true;
  Open.push_back(this);
}

/// Looks for completions once for each of them, as the store does: with few under way, else, a turn would
/// take no time, and the processor be given away before a round trip is over.
void stepping::finish() {
  endpoint &Here = Owner.here();
  for (waiting Wait(Here); Busy;) {
    bool Any = false;
    for (std::size_t I = 0; I < Open.size();) {
      Here.poll();
      bool Over = Open[I]->goOn(Any);
      if (Over)
        Open.erase(Open.begin() + static_cast<std::ptrdiff_t>(I));
      else
        ++I;
    }
    if (Any)
      Wait.again();
    else
      OK(Wait.step());
  }
}

/// True when it is over.
bool stepping::goOn(bool &Any) {
  if (!Done.done())
    return false;
  OK(Done.wait());
  Busy = !step();
  Any |= !Busy || !Done.done();
  return !Busy;
}

leaf_store::leaf_store(manager &M) : channel("leaves", M) {
  std::size_t Count = (Keys + Entries - 1) / Entries;
  Size = (Count + M.nodes() - 1) / M.nodes() * LeafSize;
  Mine = own("leaves", Size).words();
  for (node_id N : M.all())
    Leaves.push_back(&other(N, "leaves", Size));
  Lines.resize(Count);
  for (std::size_t I = 0; I < Count; ++I)
    First.push_back(I * Entries);
  Open.resize(M.threads());
  join();
}

/// Word 0 is the lock; entry E is words 2E + 2 and 2E + 3.
remote leaf_store::leaf(std::size_t Which) const {
  return Leaves[Which % owner().nodes()]->at(Which / owner().nodes() * LeafSize);
}

std::size_t leaf_store::leafOf(word Key) const {
  return static_cast<std::size_t>(std::upper_bound(First.begin(), First.end(), Key) - First.begin()) - 1;
}

void leaf_store::begin(barrier &Meet, unsigned Index) {
  if (Index == 0)
    for (word K = 0; K < Filled; ++K)
      if (remote At = leaf(K / Entries); At.node == me()) {
        word *Entry = Mine + (At.address - Leaves[me()]->address) / sizeof(word) + 2 + 2 * (K % Entries);
        store(Entry[0], K + 1);
        store(Entry[1], K);
      }
  OK(Meet.wait());
}

leaf_store::slot::slot(leaf_store &S, unsigned Index)
    : stepping(S.owner(), S.Open[Index]), S(S), Leaf(S.owner().allocate(LeafSize).words()),
      Was(S.owner().allocate(sizeof(word)).words()) {}

void leaf_store::slot::start(bool Write, word NewKey) {
  Key = NewKey;
  Which = S.leafOf(Key);
  At = S.leaf(Which);
  if (!Write) {
    OK(Owner.here().get(Leaf, At, LeafSize, Done));
    State = state::Looking;
    return;
  }
  Ticket = S.Lines[Which].Next++;
  State = state::Queueing;
  stepping::begin();
  if (S.Lines[Which].Serving == Ticket)
    (void)take();
}

void leaf_store::slot::finish() {
  if (State == state::Looking) {
    OK(Done.wait());
    (void)entry();
  } else {
    stepping::finish();
  }
  State = state::Idle;
}

/// Where it is in the leaf, or the leaf's end.
std::size_t leaf_store::slot::entry() const {
  std::size_t Entry = 2;
  while (Entry < LeafSize / sizeof(word) && load(Leaf[Entry]) != Key + 1)
    Entry += 2;
  return Entry;
}

bool leaf_store::slot::step() {
  switch (State) {
  case state::Queueing:
    return S.Lines[Which].Serving == Ticket && take();
  case state::Taking:
    S.Lines[Which].Held = load(*Was) == 0;
    return take();
  case state::Reading:
    return write();
  default:
    return leave();
  }
}

/// Of this node it is our turn.
bool leaf_store::slot::take() {
  if (S.Lines[Which].Held) {
    State = state::Reading;
    OK(Owner.here().get(Leaf, At, LeafSize, Done));
  } else {
    State = state::Taking;
    OK(Owner.here().compare_exchange(Was, At, 0, 1, Done));
  }
  return false;
}

bool leaf_store::slot::write() {
  line &Mine = S.Lines[Which];
  std::size_t Entry = entry();
  bool Found = Entry < LeafSize / sizeof(word);
  Mine.Held = Mine.Next != Ticket + 1 && Mine.HandedOn < MostHandedOn;
  Mine.HandedOn = Mine.Held ? Mine.HandedOn + 1 : 0;
  State = state::Writing;
  if (Found)
    OK(Owner.here().put_word(At.word_at(Entry + 1), Key, Mine.Held ? &Done : nullptr));
  if (!Mine.Held)
    OK(Owner.here().put_word(At, 0, &Done)); // behind the entry, on its queue pair
  return !Found && Mine.Held && leave();
}

bool leaf_store::slot::leave() {
  S.Lines[Which].Serving = Ticket + 1;
  return true;
}

printed_store::printed_store(manager &M) : channel("printed", M), Table(*this, "locks", Locks) {
  std::size_t Size = (Keys + M.nodes() - 1) / M.nodes() * SlotWords * sizeof(word);
  own("values", Size);
  for (node_id N : M.all())
    Values.push_back(&other(N, "values", Size));
  Open.resize(M.threads());
  join();
}

void printed_store::begin(barrier &Meet, unsigned Number) {
  if (Number == 0)
    for (word K = 0; K < Filled; ++K)
      Index.set(K, {static_cast<node_id>(K % owner().nodes()), K / owner().nodes(), 1});
  OK(Meet.wait());
}

std::optional<kv_place> printed_store::find(word Key) {
  std::shared_lock Guard(IndexLock);
  return Index.find(Key);
}

printed_store::slot::slot(printed_store &S, unsigned Index)
    : stepping(S.owner(), S.Open[Index]), S(S),
      Value(S.owner().allocate((SlotWords + 3) * sizeof(word)).words()), Ticket(Value + SlotWords),
      Served(Ticket + 1), Landing(Served + 1) {}

void printed_store::slot::start(bool, word NewKey) {
  Key = NewKey;
  Lock = scattered()(Key) % Locks;
  OK(S.Table.draw(Lock, Ticket, Done));
  State = state::Drawing;
  Skip = 0;
  begin();
}

bool printed_store::slot::step() {
  switch (State) {
  case state::Queueing:
    if (Skip > 0)
      return --Skip, false;
    if (load(*Served) == load(*Ticket))
      return write();
    Skip = load(*Ticket) - load(*Served) - 1;
    [[fallthrough]];
  case state::Drawing:
    OK(S.Table.look(Lock, Served, Done));
    State = state::Queueing;
    return false;
  case state::Writing:
    OK(Owner.here().get(Landing, At, sizeof(word), Done));
    State = state::Fencing;
    return false;
  default:
    return leave();
  }
}

bool printed_store::slot::write() {
  std::optional<kv_place> Place = S.find(Key);
  if (!Place)
    return leave();
  At = S.Values[Place->Node]->word_at(Place->Slot * SlotWords);
  Value[1] = 1, Value[2] = Value[3] = Key;
  Value[0] = hash_words(Value + 2, 2, 0);
  OK(Owner.here().put(At, Value, SlotWords * sizeof(word), &Done));
  State = state::Writing;
  return false;
}

bool printed_store::slot::leave() {
  OK(S.Table.release(Lock, load(*Ticket)));
  return true;
}

rpc_store::rpc_store(manager &M) : Here(M), Net("rpc", M, 2 * M.threads()) {}

void rpc_store::begin(barrier &Meet, unsigned Index) {
  if (Index == 0) {
    Net.connect([&] { OK(Meet.wait()); });
    for (word K = 0; K < Filled; ++K)
      if (hostOf(K) == Here.me())
        Map[K] = K;
    Server = std::thread([this] { serve(); });
  } else {
    OK(Meet.wait());
    OK(Meet.wait());
  }
  OK(Meet.wait());
}

void rpc_store::end(unsigned Index) {
  if (Index != 0)
    return;
  Stop = true;
  Server.join();
}

word rpc_store::answer(const request &R) {
  std::lock_guard Guard(Lock);
  auto Found = Map.find(R.Key);
  if (Found == Map.end())
    return 0;
  if (R.Write)
    Found->second = R.Value;
  return Found->second + 1;
}

void rpc_store::serve() {
  patience Wait;
  while (!Stop) {
    bool Any = false;
    for (node_id N : Here.all().without(Here.me()))
      for (unsigned Client = 0; Client < Here.threads(); ++Client) {
        request R;
        unsigned L = link(Client, N, Here.me());
        if (!Net.receive(N, L, &R, sizeof R))
          continue;
        Any = true;
        word Answer = answer(R);
        Net.send(N, L, &Answer, sizeof Answer);
      }
    Any ? Wait.again() : Wait.step();
  }
}

void rpc_store::slot::start(bool Write, word Key) {
  Host = S.hostOf(Key);
  Asked = Host != S.Here.me();
  request R = {Write, Key, Key};
  if (Asked)
    S.Net.send(Host, S.link(Index, S.Here.me(), Host), &R, sizeof R);
  else
    (void)S.answer(R);
}

/// Answers of a host come in the order of the requests, as the slots are finished.
void rpc_store::slot::finish() {
  word Answer;
  patience Wait;
  while (Asked && !S.Net.receive(Host, S.link(Index, S.Here.me(), Host), &Answer, sizeof Answer))
    Wait.step();
  Asked = false;
}

} // namespace rdma::bench
