// The hull of points that a relation produced has that relation among its equations, and no other.
#include "analyzer/clang/counts/AffineHull.h"

#include <gtest/gtest.h>

using namespace rdma::clang_ir;

namespace {

bool holds(const AffineHull &Hull, const std::vector<Integer> &Point) {
  for (const Equation &E : Hull.equations()) {
    Integer Sum = 0;
    for (std::size_t I = 0; I < Point.size(); ++I)
      Sum += E.Factors[I] * Point[I];
    if (Sum != E.Constant)
      return false;
  }
  return true;
}

TEST(AffineHull, OfOnePointIsThatPoint) {
  AffineHull Hull(2);
  EXPECT_TRUE(Hull.empty());
  EXPECT_TRUE(Hull.add({3, 5}));
  EXPECT_FALSE(Hull.add({3, 5}));
  EXPECT_TRUE(holds(Hull, {3, 5}));
  EXPECT_FALSE(holds(Hull, {3, 6}));
}

TEST(AffineHull, FindsTheRelationBehindThePoints) {
  // posted, completed, out: 4 * out == posted - completed.
  AffineHull Hull(3);
  EXPECT_TRUE(Hull.add({0, 0, 0}));
  EXPECT_TRUE(Hull.add({4, 0, 1}));
  EXPECT_TRUE(Hull.add({8, 4, 1}));
  EXPECT_FALSE(Hull.add({400, 200, 50}));
  EXPECT_EQ(Hull.equations().size(), 1u);
  EXPECT_TRUE(holds(Hull, {16, 0, 4}));
  EXPECT_FALSE(holds(Hull, {16, 0, 3}));
}

TEST(AffineHull, StaysExactWhereNumbersAreLarge) {
  Integer Large("9223372036854775807");
  AffineHull Hull(2);
  Hull.add({Large, Large - 1});
  Hull.add({Integer(1) - Large, Integer(0) - Large});
  EXPECT_TRUE(holds(Hull, {17, 16}));
  EXPECT_FALSE(holds(Hull, {17, 17}));
}

TEST(AffineHull, OfAllPointsSaysNothing) {
  AffineHull Hull(2);
  Hull.add({0, 0});
  Hull.add({1, 0});
  Hull.add({5, 3});
  EXPECT_TRUE(Hull.equations().empty());
}

} // namespace
