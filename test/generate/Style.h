// In which of many ways a random program is written down.
//
// A style has one way for each aspect. Aspects are drawn apart from each other, so that 20,000 programs see
// nearly every pair of ways together.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace rdma::test {

enum class Aspect : std::uint8_t {
  Language,
  Memory,   ///< where a node's locations live
  Access,   ///< how the CPU reads and writes them
  Ends,     ///< where queue pairs are kept
  Requests, ///< how a work request comes about
  Helper,   ///< who fills and posts it
  Control,  ///< what the statements of a thread stand in
  Polls,    ///< how a completion is taken
  Waits,    ///< how a thread waits for a value
  Literals, ///< where the source of `put x <- 1` lives
  Threads,  ///< how the threads of a node are started
  Files,
  // Of programs of loops only.
  Counters, ///< where the integers live
  Integers, ///< their type
  Buffers,  ///< where the slots live
  Items,    ///< what a slot is
  Parts,    ///< what stands in functions of its own
  Loops,    ///< how loops are spelled
  Bounds,   ///< who says how many rounds there are
  Results   ///< what is asked of a poll's result and of completions
};
inline constexpr unsigned NumAspects = 20;

struct Way {
  std::string_view Name;
  bool Cpp = false;  ///< only in C++
  bool Exact = true; ///< a straight-line program written so gets exactly its litmus verdict
};

std::string_view name(Aspect A);
const std::vector<Way> &ways(Aspect A);

struct Style {
  std::array<unsigned, NumAspects> Chosen{};
  const Way &way(Aspect A) const { return ways(A)[Chosen[static_cast<unsigned>(A)]]; }
  std::string_view operator[](Aspect A) const { return way(A).Name; }
  void set(Aspect A, std::string_view Name);
  bool cpp() const { return (*this)[Aspect::Language] == "C++"; }
  bool exact() const;
  /// Is this its way of some of the aspects? Every style has the empty one.
  bool has(const std::string &Way, const std::vector<Aspect> &Some) const;
  std::string describe(const std::vector<Aspect> &Some) const;
};

/// The aspects that say how litmus programs are written down, and programs of loops.
const std::vector<Aspect> &litmusAspects();
const std::vector<Aspect> &loopAspects();
/// Is it one of the ways of some of the aspects?
bool isWay(const std::string &Name, const std::vector<Aspect> &Some);

Style randomStyle(std::mt19937_64 &Random);
Style randomLoopStyle(std::mt19937_64 &Random);

} // namespace rdma::test
