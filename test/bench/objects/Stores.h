// Stores that do the same: begin and end for each thread, and slots, one for each operation that is under
// way.
#pragma once

#include "Bench.h"
#include "Messages.h"
#include "rdma/objects/kvstore.h"

#include <deque>
#include <thread>
#include <unordered_map>

namespace rdma::bench {

/// As many leaves as the store has locks: who meets whom is a matter of the keys drawn, not of the stores.
inline constexpr std::size_t Locks = 1024, Keys = std::size_t(1) << 16, Filled = Keys * 4 / 5;

/// Where a key's lock is says nothing about where its value is, as with any hash but the number itself.
struct scattered {
  std::size_t operator()(word Key) const {
    Key = (Key ^ Key >> 31) * 0x9e3779b97f4a7c15;
    return Key ^ Key >> 29;
  }
};

template <bool Fence> class our_store {
  using store = kvstore<word, word, scattered>;

public:
  explicit our_store(manager &M)
      : Here(M), Store("store", M, {.slots = Keys, .locks = Locks, .fence = Fence}) {}
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

/// An update as a row of steps: each posts something, and the next comes when that is done. All that a thread
/// has under way go on together, and wait as the store's do.
class stepping {
public:
  stepping(manager &Owner, std::vector<stepping *> &Open) : Owner(Owner), Open(Open) {}
  stepping(const stepping &) = delete;

protected:
  ~stepping() = default;
  /// The first step has been posted.
  void begin();
  void finish();
  /// True when it is over. Whatever Done stood for is done.
  virtual bool step() = 0;
  manager &Owner;
  ack Done;

private:
  bool goOn(bool &Any);
  std::vector<stepping *> &Open; ///< of this thread, oldest first
  bool Busy = false;
};

/// Leaves of 1 KiB, each with its lock in front, spread over the nodes. As in Sherman an update is three
/// round trips (lock; leaf; entry and lock, one behind the other), and those of a node that wait for one leaf
/// stand in line on the node, which hands the lock on to the next of them, a few times.
class leaf_store : public channel {
public:
  explicit leaf_store(manager &M);
  void begin(barrier &Meet, unsigned Index);
  void end(unsigned) {}

  class slot final : stepping {
  public:
    slot(leaf_store &S, unsigned Index);
    void start(bool Write, word Key);
    void finish();

  private:
    enum class state { Idle, Looking, Queueing, Taking, Reading, Writing };
    bool step() override;
    bool take();
    bool write();
    bool leave();
    std::size_t entry() const;
    leaf_store &S;
    word *Leaf, *Was;
    word Key = 0;
    std::size_t Which = 0;
    unsigned Ticket = 0;
    remote At;
    state State = state::Idle;
  };

private:
  /// Of this node's updates that want one leaf. The rest belongs to the one whose turn it is.
  struct line {
    std::atomic<unsigned> Next{0}, Serving{0};
    unsigned HandedOn = 0;
    bool Held = false;
  };
  static constexpr unsigned MostHandedOn = 8;
  static constexpr std::size_t LeafSize = 1024, Entries = LeafSize / (2 * sizeof(word)) - 1;
  remote leaf(std::size_t Which) const;
  /// As a client of a tree finds it, in what it has kept of the tree's upper part.
  std::size_t leafOf(word Key) const;
  std::size_t Size;
  std::vector<word> First; ///< keys of the leaves
  word *Mine;
  std::vector<const remote *> Leaves;
  std::deque<line> Lines;
  std::deque<std::vector<stepping *>> Open;
};

/// The store's update as its paper has it: the steps one after the other, each waited for: number, turn,
/// value, fence. Values stand where the store has them, and are found in the same way; only updates.
class printed_store : public channel {
public:
  explicit printed_store(manager &M);
  void begin(barrier &Meet, unsigned Index);
  void end(unsigned) {}

  class slot final : stepping {
  public:
    slot(printed_store &S, unsigned Index);
    void start(bool Write, word Key);
    using stepping::finish;

  private:
    enum class state { Drawing, Queueing, Writing, Fencing };
    bool step() override;
    bool write();
    bool leave();
    printed_store &S;
    word *Value, *Ticket, *Served, *Landing;
    std::size_t Lock = 0;
    word Key = 0, Skip = 0;
    remote At;
    state State = state::Drawing;
  };

private:
  static constexpr std::size_t SlotWords = 4;
  std::optional<kv_place> find(word Key);
  lock_table Table;
  std::vector<const remote *> Values;
  std::shared_mutex IndexLock;
  kv_index<word, scattered> Index;
  std::deque<std::vector<stepping *>> Open;
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
