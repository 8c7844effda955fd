// What the store is held against.
#include "Stores.h"

namespace rdma::bench {

leaf_store::leaf_store(manager &M) : channel("leaves", M) {
  std::size_t Count = (Keys + Entries - 1) / Entries;
  Size = (Count + M.nodes() - 1) / M.nodes() * LeafSize;
  Mine = own("leaves", Size).words();
  for (node_id N : M.all())
    Leaves.push_back(&other(N, "leaves", Size));
  Open.resize(M.threads());
  join();
}

/// Word 0 is the lock; entry E is words 2E + 2 and 2E + 3.
remote leaf_store::leafOf(word Key) const {
  std::size_t Leaf = Key / Entries;
  return Leaves[Leaf % owner().nodes()]->at(Leaf / owner().nodes() * LeafSize);
}

void leaf_store::begin(barrier &Meet, unsigned Index) {
  if (Index == 0)
    for (word K = 0; K < Filled; ++K)
      if (remote At = leafOf(K); At.node == me()) {
        word *Entry = Mine + (At.address - Leaves[me()]->address) / sizeof(word) + 2 + 2 * (K % Entries);
        store(Entry[0], K + 1);
        store(Entry[1], K);
      }
  OK(Meet.wait());
}

leaf_store::slot::slot(leaf_store &S, unsigned Index)
    : S(S), Open(S.Open[Index]), Leaf(S.owner().allocate(LeafSize).words()),
      Was(S.owner().allocate(64).words()) {}

void leaf_store::slot::start(bool Write, word NewKey) {
  Key = NewKey;
  At = S.leafOf(Key);
  endpoint &Here = S.owner().here();
  if (Write)
    OK(Here.compare_exchange(Was, At, 0, 1, Done));
  else
    OK(Here.get(Leaf, At, LeafSize, Done));
  State = Write ? state::Taking : state::Reading;
  Open.push_back(this);
}

void leaf_store::slot::advance() {
  if (!Done.done())
    return;
  OK(Done.wait());
  endpoint &Here = S.owner().here();
  if (State == state::Taking && load(*Was) != 0) {
    OK(Here.compare_exchange(Was, At, 0, 1, Done));
    return;
  }
  if (State == state::Taking) {
    OK(Here.get(Leaf, At, LeafSize, Done));
    State = state::ReadingLocked;
    return;
  }
  std::size_t Entry = 2;
  while (Entry + 1 < LeafSize / sizeof(word) && load(Leaf[Entry]) != Key + 1)
    Entry += 2;
  if (State == state::ReadingLocked) {
    if (Entry + 1 < LeafSize / sizeof(word))
      OK(Here.put_word(At.word_at(Entry + 1), Key));
    OK(Here.put_word(At, 0)); // behind the entry, on its queue pair
  }
  State = state::Idle;
  std::erase(Open, this);
}

void leaf_store::slot::finish() {
  patience Wait;
  while (State != state::Idle) {
    S.owner().here().poll();
    for (std::size_t I = 0; I < Open.size();) {
      slot *Next = Open[I];
      Next->advance();
      I += I < Open.size() && Open[I] == Next;
    }
    Wait.step();
  }
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
