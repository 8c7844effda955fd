// A stream of choices.
#pragma once

#include <random>

namespace rdma::test {

class Random {
public:
  explicit Random(uint64_t Seed) : Bits(Seed) {}
  /// Below Count.
  uint64_t below(uint64_t Count) { return Bits() % Count; }
  bool oneIn(uint64_t Count) { return below(Count) == 0; }
  uint64_t seed() { return Bits(); }

private:
  std::mt19937_64 Bits;
};

} // namespace rdma::test
