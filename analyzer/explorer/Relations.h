// Relations over the at most 64 events of an execution, as rows of bits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace rdma::explorer {

class Relation {
public:
  void add(unsigned From, unsigned To) { Rows[From] |= std::uint64_t(1) << To; }
  bool has(unsigned From, unsigned To) const { return Rows[From] >> To & 1; }
  std::uint64_t &operator[](unsigned From) { return Rows[From]; }
  std::uint64_t operator[](unsigned From) const { return Rows[From]; }

  /// Transitive closure over the first Count events (Warshall).
  void close(unsigned Count) {
    for (unsigned Through = 0; Through < Count; ++Through)
      for (unsigned From = 0; From < Count; ++From)
        if (has(From, Through))
          Rows[From] |= Rows[Through];
  }
  bool irreflexive(unsigned Count) const {
    for (unsigned E = 0; E < Count; ++E)
      if (has(E, E))
        return false;
    return true;
  }
  bool operator==(const Relation &) const = default;

private:
  std::array<std::uint64_t, 64> Rows = {};
};

} // namespace rdma::explorer
