// Mixed-size data: a value of several words that is put, got and read whole or not at all (LOCO, appendix on
// mixed-size writes).
//
// A copy is a check word and the data. Checked by a hash (the default) it holds even when the NIC places a
// WRITE in any order and when the source is rewritten under it: a torn copy has the right hash with
// probability 2^-64. Checked by guards it needs a NIC that places a WRITE from low to high addresses, which
// no specification promises, and a writer that waits for its ack before it writes again; it costs no hash.
//
// Cost: put half a round trip, get one. No liveness: try_read may fail as long as somebody writes.
#pragma once

#include "rdma/objects/channel.h"

#include <array>
#include <cstring>
#include <optional>
#include <type_traits>

namespace rdma::objects {

/// A 64-bit hash of whole words; never the same for two values that differ in one word only.
word hash_words(const word *Data, std::size_t Count, word Seed = 0);

enum class check { hash, guards };

/// The words of one copy, and how they are written and read; the CPU's side of msw.
template <class T, check Check = check::hash> class msw_copy {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  static constexpr std::size_t data_words = (sizeof(T) + sizeof(word) - 1) / sizeof(word);
  /// hash, data; or guard, data, guard.
  static constexpr std::size_t words = data_words + (Check == check::hash ? 1 : 2);
  using image = std::array<word, data_words>;

  static image to_image(const T &Value) {
    image I{};
    std::memcpy(I.data(), &Value, sizeof Value);
    return I;
  }
  static void write(word *At, const T &Value) {
    image New = to_image(Value);
    if constexpr (Check == check::hash) {
      store(At[0], hash_words(New.data(), data_words));
      for (std::size_t I = 0; I < data_words; ++I)
        store(At[1 + I], New[I]);
    } else { // in rising order, as the NIC is to place it
      word Round = load(At[0]) + 1;
      store(At[0], Round);
      for (std::size_t I = 0; I < data_words; ++I)
        store(At[1 + I], New[I]);
      store(At[1 + data_words], Round);
    }
  }
  /// A word of the data, of whichever value it is there.
  static word word_at(const word *At, std::size_t Number) { return load(At[1 + Number]); }
  static std::optional<T> try_read(const word *At) {
    image Seen;
    if constexpr (Check == check::hash) {
      word Hash = load(At[0]);
      for (std::size_t I = 0; I < data_words; ++I)
        Seen[I] = load(At[1 + I]);
      if (hash_words(Seen.data(), data_words) != Hash)
        return {};
    } else { // from the last word that arrives to the first
      word Right = load(At[1 + data_words]);
      for (std::size_t I = data_words; I > 0; --I)
        Seen[I - 1] = load(At[I]);
      if (load(At[0]) != Right)
        return {};
    }
    T Value;
    std::memcpy(static_cast<void *>(&Value), Seen.data(), sizeof Value);
    return Value;
  }
};

template <class T, check Check = check::hash> class msw : public channel {
  using copy = msw_copy<T, Check>;

public:
  msw(std::string Name, manager &Manager) : channel(std::move(Name), Manager) { setUp(); }
  msw(const channel &Parent, const std::string &Name) : channel(Parent, Name, Parent.peers()) { setUp(); }

  /// This node's copy. One thread of the node at a time.
  void write(const T &Value) { copy::write(Mine, Value); }
  /// This node's copy, msw_copy<T, Check>::words words of it.
  const word *words() const { return Mine; }
  /// A value that somebody wrote whole; nothing when the copy is just changing.
  std::optional<T> try_read() const { return copy::try_read(Mine); }
  /// Sends this node's copy. It may be rewritten before the ack: readers then see one of both values, or
  /// nothing for now.
  status put(node_set Nodes, ack *Done = nullptr) {
    for (node_id N : (Nodes & owner().all()).without(me()))
      if (status S = owner().here().put(*Copies[N], Mine, size, Done); S != status::ok)
        return S;
    return status::ok;
  }
  /// Overwrites this node's copy with that of a node. Throws std::out_of_range: there is no such node.
  status get(node_id Node, ack &Done) { return get(Mine, Node, Done); }
  /// Fetches a node's copy into this node's memory, `size` bytes of it, for msw_copy::try_read. Throws as
  /// above.
  status get(word *Into, node_id Node, ack &Done) {
    return owner().here().get(Into, *Copies.at(Node), size, Done);
  }
  static constexpr std::size_t size = copy::words * sizeof(word);

private:
  void setUp() {
    Mine = own("copy", size).words();
    copy::write(Mine, T{});
    if constexpr (Check == check::guards)
      store(Mine[0], 0), store(Mine[copy::words - 1], 0);
    for (node_id N : owner().all())
      Copies.push_back(&other(N, "copy", size));
    join();
  }
  word *Mine;
  std::vector<const remote *> Copies;
};

} // namespace rdma::objects
