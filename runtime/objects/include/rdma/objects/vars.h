// Variables of 8 bytes or less.
//
// - shared_var: a copy on every node; store and load are the CPU's, push sends one's copy (LOCO's section on
// shared variables).
// - sst: a shared_var for each thread, on every node.
// - owned_var: one node's value, cached by the others; larger values too.
// - atomic_var: one word on one node, for remote atomics.
//
// Cost: store and load none, push half a round trip that nobody waits for, an operation of atomic_var one
// round trip. Several writers of one shared_var can leave different values on different nodes for ever: use
// atomic_var.
#pragma once

#include "rdma/objects/msw.h"
#include "rdma/objects/roster.h"

#include <algorithm>
#include <iterator>
#include <mutex>

namespace rdma::objects {

template <class T>
concept fits_word = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(word);

template <fits_word T> word to_word(const T &Value) {
  word W = 0;
  std::memcpy(&W, &Value, sizeof Value);
  return W;
}
template <fits_word T> T from_word(word W) {
  T Value;
  std::memcpy(&Value, &W, sizeof Value);
  return Value;
}

template <fits_word T> class shared_var : public channel {
public:
  shared_var(std::string Name, manager &Manager, T Initial = {}) : channel(std::move(Name), Manager) {
    agree("bytes", sizeof(T));
    Mine = own("x", line_size).words();
    objects::store(*Mine, to_word(Initial));
    for (node_id N : Manager.all())
      Copies.push_back(&other(N, "x", line_size));
    join();
  }
  void store(T Value) { objects::store(*Mine, to_word(Value)); }
  T load() const { return from_word<T>(objects::load(*Mine)); }
  /// Sends this node's copy, as it is now, to the nodes; never to its own, where it could bring an old value
  /// back. In order towards each node, in no order between nodes. Stamps aCR, then aNRW for each node.
  status push(node_set Nodes, ack *Done = nullptr) {
    word Now = objects::load(*Mine);
    for (node_id N : (Nodes & owner().all()).without(me()))
      if (status S = owner().here().put_word(*Copies[N], Now, Done); S != status::ok)
        return S;
    return status::ok;
  }
  status push(ack *Done = nullptr) { return push(owner().all(), Done); }
  /// Overwrites this node's copy with that of a node. Throws std::out_of_range: there is no such node.
  status pull(node_id Node, ack &Done) {
    return owner().here().get(Mine, *Copies.at(Node), sizeof(word), Done);
  }

private:
  word *Mine;
  std::vector<const remote *> Copies;
};

/// A row for each thread, written by it alone, read by all.
template <fits_word T> class sst : public channel {
public:
  sst(std::string Name, manager &Manager) : sst(std::move(Name), Manager, roster::everyone(Manager)) {}
  sst(std::string Name, manager &Manager, std::span<const thread_id> Threads)
      : channel(std::move(Name), Manager), Who(Manager, Threads) {
    agree("bytes", sizeof(T));
    agree("digest of the threads", Who.digest());
    Rows = own("rows", Who.size() * line_size).words();
    for (node_id N : Manager.all())
      Copies.push_back(&other(N, "rows", Who.size() * line_size));
    join();
  }
  std::size_t size() const { return Who.size(); }
  const roster &threads() const { return Who; }
  T operator[](std::size_t Row) const { return from_word<T>(objects::load(Rows[Row * Stride])); }

  /// The rows in the order of the threads, each as it is when it is looked at.
  class iterator {
  public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = T;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;
    iterator() = default;
    iterator(const sst &Of, std::size_t Row) : Of(&Of), Row(Row) {}
    T operator*() const { return (*Of)[Row]; }
    iterator &operator++() { return ++Row, *this; }
    iterator operator++(int) { return {*Of, Row++}; }
    friend bool operator==(const iterator &, const iterator &) = default;

  private:
    const sst *Of = nullptr;
    std::size_t Row = 0;
  };
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, size()}; }

  T load(thread_id Thread) const {
    for (std::size_t I = 0; I < size(); ++I)
      if (Who[I] == Thread)
        return (*this)[I];
    return {};
  }
  status store_mine(T Value) {
    std::size_t Row = Who.mine();
    if (Row == roster::none)
      return status::not_participant;
    objects::store(Rows[Row * Stride], to_word(Value));
    return status::ok;
  }
  /// Sends the calling thread's row; stamps as shared_var::push.
  status push_broadcast(ack *Done = nullptr) { return push(owner().all(), Done); }
  status push(node_set Nodes, ack *Done = nullptr) {
    std::size_t Row = Who.mine();
    if (Row == roster::none)
      return status::not_participant;
    word Now = objects::load(Rows[Row * Stride]);
    for (node_id N : (Nodes & owner().all()).without(me()))
      if (status S = owner().here().put_word(Copies[N]->word_at(Row * Stride), Now, Done); S != status::ok)
        return S;
    return status::ok;
  }

private:
  static constexpr std::size_t Stride = line_size / sizeof(word);
  roster Who;
  word *Rows;
  std::vector<const remote *> Copies;
};

/// One node writes, all read. A reader's values may be old but never go back, and are current once the push
/// was fenced. A push may arrive behind a pull that has fetched a later value: values are numbered, and of
/// what has come the latest is kept.
template <class T> class owned_var : public channel {
public:
  owned_var(std::string Name, manager &Manager, node_id Owner)
      : channel(std::move(Name), Manager), Owner(Owner), Value(*this, "value"), Pulls(Manager.threads() + 1) {
    require_node(Owner);
    agree("owner", Owner);
    for (pulled &P : Pulls)
      P.At = Manager.allocate(msw<numbered>::size).words();
    join();
  }
  node_id owned_by() const { return Owner; }
  /// store and push: one thread of the owner.
  status store(const T &New) {
    if (me() != Owner)
      return status::not_owner;
    Value.write({++Stored, New});
    return status::ok;
  }
  /// What this node has; nothing while a later value is on its way, or after a pull that met the owner's
  /// store in the middle, until that value or a later one comes: pull again then, or wait for the push. Any
  /// thread.
  std::optional<T> load() const {
    std::lock_guard Guard(Lock);
    word InParts = take(Value.words());
    for (const pulled &P : Pulls)
      if (P.Used.load(std::memory_order_acquire))
        InParts = std::max(InParts, take(P.At));
    return InParts <= Latest.Number ? std::optional(Latest.Value) : std::nullopt;
  }
  status push(node_set Nodes, ack *Done = nullptr) {
    return me() == Owner ? Value.put(Nodes, Done) : status::not_owner;
  }
  status push(ack *Done = nullptr) { return push(owner().all(), Done); }
  /// Fetches the owner's value; load sees it after the ack.
  status pull(ack &Done) {
    if (me() == Owner)
      return status::ok;
    unsigned Index = owner().thread_index();
    pulled &Mine = Pulls[Index == manager::helper ? owner().threads() : Index];
    if (!Mine.Used.load(std::memory_order_relaxed)) {
      copy::write(Mine.At, {});
      Mine.Used.store(true, std::memory_order_release);
    }
    return Value.get(Mine.At, Owner, Done);
  }

private:
  struct numbered {
    word Number = 0;
    T Value{};
  };
  using copy = msw_copy<numbered>;
  /// What a thread of this node pulls. Each has a place of its own, in which results cannot mix.
  struct pulled {
    word *At = nullptr;
    std::atomic<bool> Used{false};
  };
  /// Keeps what is there if it is later than what is known. Of a copy in parts, which may stay so (nobody
  /// sends it again), returns the number that is there, else 0. Numbers in one place only rise when pulls are
  /// waited for: what was whole there before was not later.
  word take(const word *At) const {
    std::optional<numbered> Found = copy::try_read(At);
    if (Found && Found->Number > Latest.Number)
      Latest = *Found;
    return Found ? 0 : copy::word_at(At, 0);
  }

  node_id Owner;
  msw<numbered> Value; ///< what was stored, and what is pushed
  std::deque<pulled> Pulls;
  word Stored = 0;
  mutable std::mutex Lock;
  mutable numbered Latest; ///< guarded by Lock
};

/// A word on a host node. All through the NIC, the host's threads included: a remote atomic is atomic against
/// others of its kind only, not against the CPU. Linearisable; every call has taken effect when it returns.
class atomic_var : public channel {
public:
  atomic_var(std::string Name, manager &Manager, node_id Host);
  node_id host() const { return Host; }
  status load(word &Value);
  /// Replaces the value with a compare-and-swap that succeeds, never with a put.
  status store(word Value);
  status fetch_add(word By, word &Old);
  /// Expected becomes what was there.
  status compare_exchange(word &Expected, word Desired, bool &Done);

private:
  node_id Host;
  const remote *At;
};

} // namespace rdma::objects
