// Extraction's verdict against the litmus verdict.
#pragma once

#include "Sources.h"

#include <optional>

namespace rdma::test {

struct Case {
  RandomProgram Litmus;
  Style Written;
  std::uint64_t Seed = 0;
  bool Straight = false; ///< neither choices nor loops nor waits
};

enum class Wrong : std::uint8_t {
  No,
  Unsound,   ///< robust, but the explorer finds it is not
  Different, ///< a straight-line program with another verdict than the litmus program
  Emitted,   ///< what --emit-ir prints has another verdict than the program it was printed for
  Refused,   ///< an error, where there is none in the source
  Crashed
};
std::string_view name(Wrong W);

struct Compared {
  bool Litmus = false;    ///< robust by the conditions on the litmus program, both models
  bool Extracted = false; ///< robust by rdma-tidy, both models
  Wrong What = Wrong::No;
  std::string Why;
};

Case makeCase(std::uint64_t Seed);
Compared compare(const Case &C);
/// Fewer statements, as long as the same is wrong.
Case shrink(const Case &C, Wrong W);
/// The litmus program, the sources, the topology.
std::string print(const Case &C);

} // namespace rdma::test
