// Stores that do the same: begin and end for each thread, and slots, one for each operation that is under
// way.
#pragma once

#include "Bench.h"
#include "Messages.h"
#include "rdma/objects/kvstore.h"

#include <deque>
#include <thread>

namespace rdma::bench {

inline constexpr std::size_t Keys = 2048, Filled = Keys * 4 / 5;

template <bool Fence> class our_store {
  using store = kvstore<word, word>;

public:
  explicit our_store(manager &M)
      : Here(M), Store("store", M, {.slots = Keys, .locks = 1024, .fence = Fence}) {}
  void begin(barrier &Meet, unsigned Index) {
    if (Index == 0)
      for (word K = Here.me(); K < Filled; K += Here.nodes())
        Store.insert(K, K);
    OK(Meet.wait());
  }
  void end(unsigned) {}

  class slot {
  public:
    slot(our_store &S, unsigned) : Store(S.Store), Read(S.Store), Written(S.Store) {}
    void start(bool Write, word Key) {
      if (Write)
        Store.update_async(Key, Key, Written);
      else
        Store.lookup_async(Key, Read);
      Open = Write ? 2 : 1;
    }
    void finish() {
      if (Open == 2)
        (void)Written.get();
      else if (Open == 1)
        (void)Read.get();
      Open = 0;
    }

  private:
    store &Store;
    typename store::pending Read;
    typename store::updating Written;
    int Open = 0;
  };

private:
  manager &Here;
  store Store;
};

/// Leaves of 1 KiB, each with its lock in front, spread over the nodes.
class leaf_store : public channel {
public:
  explicit leaf_store(manager &M);
  void begin(barrier &Meet, unsigned Index);
  void end(unsigned) {}

  class slot {
  public:
    slot(leaf_store &S, unsigned Index);
    void start(bool Write, word Key);
    void finish();

  private:
    enum class state { Idle, Reading, Taking, ReadingLocked };
    void advance();
    leaf_store &S;
    std::vector<slot *> &Open; ///< of this thread: one may wait for another's lock
    word *Leaf, *Was;
    ack Done;
    word Key = 0;
    remote At;
    state State = state::Idle;
  };

private:
  static constexpr std::size_t LeafSize = 1024, Entries = LeafSize / (2 * sizeof(word)) - 1;
  remote leafOf(word Key) const;
  std::size_t Size;
  word *Mine;
  std::vector<const remote *> Leaves;
  std::deque<std::vector<slot *>> Open;
};

/// A map on each node, and a thread that answers.
class rpc_store {
public:
  explicit rpc_store(manager &M);
  void begin(barrier &Meet, unsigned Index);
  void end(unsigned Index);

  class slot {
  public:
    slot(rpc_store &S, unsigned Index) : S(S), Index(Index) {}
    void start(bool Write, word Key);
    void finish();

  private:
    rpc_store &S;
    unsigned Index;
    node_id Host = 0;
    bool Asked = false;
  };

private:
  struct request {
    word Write, Key, Value;
  };
  node_id hostOf(word Key) const { return static_cast<node_id>(Key % Here.nodes()); }
  unsigned link(unsigned Client, node_id From, node_id To) const { return 2 * Client + (From < To ? 0 : 1); }
  word answer(const request &R);
  void serve();

  manager &Here;
  messages Net;
  std::mutex Lock;
  std::unordered_map<word, word> Map;
  std::atomic<bool> Stop{false};
  std::thread Server;
};

} // namespace rdma::bench
