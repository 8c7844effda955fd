// Where the values of a key-value store lie, as one node knows it.
//
// A lookup's round trip begins with a look here, and a table that is larger than the processor's caches costs
// a miss for each line that is touched. So keys and places lie side by side in one array, each at the first
// free place behind the one that its hash names: most looks touch one line.
#pragma once

#include "rdma/objects/base.h"

#include <bit>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace rdma::objects {

/// A key's slot, and what the slot had been counted up to when the key was put there, from 1 on.
struct kv_place {
  node_id Node = 0;
  std::size_t Slot = 0;
  word Counter = 0;
};

/// One thread changes it at a time, and nobody looks meanwhile.
template <class K, class Hash> class kv_index {
public:
  std::optional<kv_place> find(const K &Key) const {
    if (const entry *Found = Entries.empty() ? nullptr : &Entries[placeOf(Key)]; Found && Found->used())
      return kv_place{static_cast<node_id>(Found->Where % max_nodes), Found->Where / max_nodes,
                      Found->Counter};
    return {};
  }
  void set(const K &Key, kv_place Place) {
    if ((Count + 1) * 4 > Entries.size() * 3)
      grow();
    entry &At = Entries[placeOf(Key)];
    Count += !At.used();
    At = {Key, Place.Slot * max_nodes + Place.Node, Place.Counter};
  }
  void erase(const K &Key) {
    if (Entries.empty())
      return;
    std::size_t Hole = placeOf(Key);
    if (!Entries[Hole].used())
      return;
    --Count;
    // Whoever was pushed past the hole comes back, so that no look for it ends there.
    for (std::size_t At = next(Hole); Entries[At].used(); At = next(At))
      if (distance(home(Entries[At].Key), At) >= distance(Hole, At))
        Entries[std::exchange(Hole, At)] = Entries[At];
    Entries[Hole] = {};
  }
  std::size_t size() const { return Count; }
  /// In no order.
  std::vector<K> keys() const {
    std::vector<K> Known;
    Known.reserve(Count);
    for (const entry &E : Entries)
      if (E.used())
        Known.push_back(E.Key);
    return Known;
  }

private:
  struct entry {
    K Key{};
    word Where = 0; ///< slot, and in the last bits the node
    word Counter = 0;
    bool used() const { return Counter; }
  };
  static constexpr std::size_t Least = 16;

  std::size_t next(std::size_t At) const { return (At + 1) & (Entries.size() - 1); }
  std::size_t distance(std::size_t From, std::size_t To) const { return (To - From) & (Entries.size() - 1); }
  /// By the upper bits of a product: many hashes are the number itself, and differ in a few bits only.
  std::size_t home(const K &Key) const {
    std::uint64_t Mixed = static_cast<std::uint64_t>(Hash()(Key)) * 0x9e3779b97f4a7c15;
    return static_cast<std::size_t>(Mixed >> (64 - std::countr_zero(Entries.size())));
  }
  /// Where the key is, or would be.
  std::size_t placeOf(const K &Key) const {
    std::size_t At = home(Key);
    while (Entries[At].used() && !(Entries[At].Key == Key))
      At = next(At);
    return At;
  }
  void grow() {
    std::vector<entry> Before(Entries.empty() ? Least : Entries.size() * 2);
    std::swap(Entries, Before);
    for (const entry &E : Before)
      if (E.used())
        Entries[placeOf(E.Key)] = E;
  }

  std::vector<entry> Entries; ///< a power of two, at most three quarters of them used
  std::size_t Count = 0;
};

} // namespace rdma::objects
