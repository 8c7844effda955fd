// What every object of the library shares: results, node sets, names of threads, errors of set-up.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rdma::objects {

/// What fits into one operation: 8 bytes, aligned to 8.
using word = std::uint64_t;
/// A process (or a device) with memory that the others reach.
using node_id = unsigned;
inline constexpr unsigned max_nodes = 64;

/// What a call of the data path came to. Set-up throws `error` instead.
enum class [[nodiscard]] status {
  ok,
  full,            ///< no room for the message or the value
  empty,           ///< nothing to take
  not_owner,       ///< only one node, or one thread, may do this
  not_participant, ///< the calling thread is not among those the object was made for
  peer_lost,       ///< a node is gone; no object that needs it can go on
  stopped,         ///< manager::stop or give_up was called while waiting
};
const char *to_string(status S);

/// A thread that takes part: the index-th one of a node.
struct thread_id {
  node_id node;
  unsigned index;
  friend bool operator==(const thread_id &, const thread_id &) = default;
  friend auto operator<=>(const thread_id &, const thread_id &) = default;
};

class node_set {
public:
  constexpr node_set() = default;
  constexpr node_set(std::initializer_list<node_id> Nodes) {
    for (node_id N : Nodes)
      insert(N);
  }
  static constexpr node_set first(unsigned Count) {
    node_set S;
    S.Bits = Count >= max_nodes ? ~std::uint64_t(0) : (std::uint64_t(1) << Count) - 1;
    return S;
  }
  /// A number that no node can have stays out.
  constexpr void insert(node_id N) { Bits |= bit(N); }
  constexpr void erase(node_id N) { Bits &= ~bit(N); }
  constexpr bool contains(node_id N) const { return Bits & bit(N); }
  constexpr bool empty() const { return !Bits; }
  constexpr unsigned size() const { return static_cast<unsigned>(__builtin_popcountll(Bits)); }
  constexpr node_set without(node_id N) const {
    node_set S = *this;
    S.erase(N);
    return S;
  }
  friend constexpr node_set operator&(node_set A, node_set B) { return A.Bits &= B.Bits, A; }
  friend constexpr node_set operator|(node_set A, node_set B) { return A.Bits |= B.Bits, A; }
  friend constexpr bool operator==(node_set, node_set) = default;

  /// In rising order.
  class iterator {
  public:
    constexpr explicit iterator(std::uint64_t Left) : Left(Left) {}
    constexpr node_id operator*() const { return static_cast<node_id>(__builtin_ctzll(Left)); }
    constexpr iterator &operator++() { return Left &= Left - 1, *this; }
    friend constexpr bool operator==(iterator, iterator) = default;

  private:
    std::uint64_t Left;
  };
  constexpr iterator begin() const { return iterator(Bits); }
  constexpr iterator end() const { return iterator(0); }

private:
  static constexpr std::uint64_t bit(node_id N) { return N < max_nodes ? std::uint64_t(1) << N : 0; }
  std::uint64_t Bits = 0;
};

/// Set-up went wrong: one line that says what, of which channel, and which node it is about.
struct error : std::runtime_error {
  static constexpr node_id no_peer = ~node_id(0);
  error(const std::string &What, std::string Channel = {}, node_id Peer = no_peer)
      : std::runtime_error(What), channel(std::move(Channel)), peer(Peer) {}
  std::string channel; ///< its full name; empty when it is about none
  node_id peer;
};

/// The CPU's accesses to words that NICs and other threads use. On x86-64 both are plain moves.
inline word load(const word &At) { return __atomic_load_n(&At, __ATOMIC_ACQUIRE); }
inline void store(word &At, word Value) { __atomic_store_n(&At, Value, __ATOMIC_RELEASE); }

} // namespace rdma::objects
