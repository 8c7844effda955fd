// Memory that NICs reach: ranges of this node's arena, and of other nodes'.
#pragma once

#include "rdma/objects/base.h"

#include <cstddef>

namespace rdma::objects {

inline constexpr std::size_t line_size = 64; ///< words that two nodes write do not share a cache line

/// Bytes of so many: at most all that there can be, which nobody has.
constexpr std::size_t bytes_of(std::size_t Count, std::size_t Each) {
  std::size_t Bytes = 0;
  return __builtin_mul_overflow(Count, Each, &Bytes) ? ~std::size_t(0) : Bytes;
}

/// Part of this node's arena, zero when it is handed out.
struct region {
  std::byte *data = nullptr;
  std::size_t size = 0;

  word *words() const { return reinterpret_cast<word *>(data); }
  std::size_t count() const { return size / sizeof(word); }
};

/// A region of a node, this one or another, as remote operations name it.
struct remote {
  node_id node = 0;
  std::uint64_t address = 0;
  std::uint32_t rkey = 0;
  std::size_t size = 0;

  /// The part that begins Offset bytes behind the beginning.
  remote at(std::size_t Offset) const { return {node, address + Offset, rkey, size - Offset}; }
  remote word_at(std::size_t Index) const { return at(Index * sizeof(word)); }
};

} // namespace rdma::objects
