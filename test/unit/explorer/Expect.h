// Properties of random programs as expectations, with the seed and the shrunk program when one fails.
#pragma once

#include "Properties.h"

#include <gtest/gtest.h>

#include <iostream>

namespace rdma::test {

inline void expectHolds(std::uint64_t First, std::uint64_t Count, const Shape &S, const Property &P) {
  Seen = {};
  auto Found = search(First, Count, S, P);
  EXPECT_FALSE(Found) << "seed " << Found->Seed << ": " << Found->Reason << "\n"
                      << Found->Program.text("counterexample");
  std::cout << "seeds " << First << " to " << First + Count - 1 << ":\n" << describe(Seen);
}

/// A share of the programs must meet the premises, and a share of those only because of what orders them.
inline void expectSound(std::uint64_t First, std::uint64_t Count, const Shape &S) {
  expectHolds(First, Count, S, conditionsAreSound);
  EXPECT_GT(Seen.Proved, Count / 5) << "few programs met the premises";
  EXPECT_GT(Seen.NeedOrder, Count / 100) << "few programs needed what orders them";
}

} // namespace rdma::test
