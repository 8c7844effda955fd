#include "analyzer/clang/counts/AffineHull.h"

#include <algorithm>

namespace rdma::clang_ir {

bool AffineHull::add(const std::vector<Integer> &Point) {
  if (empty()) {
    Origin = Point;
    return true;
  }
  Row Step(Width);
  for (std::size_t I = 0; I < Width; ++I)
    Step[I] = Rational(Point[I] - Origin[I]);
  for (std::size_t R = 0; R < Directions.size(); ++R)
    if (Rational Factor = Step[Pivots[R]]; Factor != 0)
      for (std::size_t I = 0; I < Width; ++I)
        Step[I] -= Factor * Directions[R][I];
  std::size_t Pivot = 0;
  while (Pivot < Width && Step[Pivot] == 0)
    ++Pivot;
  if (Pivot == Width)
    return false;
  Rational Lead = Step[Pivot];
  for (Rational &X : Step)
    X /= Lead;
  for (Row &Other : Directions)
    if (Rational Factor = Other[Pivot]; Factor != 0)
      for (std::size_t I = 0; I < Width; ++I)
        Other[I] -= Factor * Step[I];
  Directions.push_back(std::move(Step));
  Pivots.push_back(Pivot);
  return true;
}

std::vector<Equation> AffineHull::equations() const {
  std::vector<Equation> All;
  if (empty())
    return All;
  for (std::size_t Free = 0; Free < Width; ++Free) {
    if (std::find(Pivots.begin(), Pivots.end(), Free) != Pivots.end())
      continue;
    // Normal to every direction: 1 at the free coordinate, the rest follows.
    Row Normal(Width);
    Normal[Free] = 1;
    Integer Common = 1;
    for (std::size_t R = 0; R < Directions.size(); ++R) {
      Normal[Pivots[R]] = -Directions[R][Free];
      Common = lcm(Common, denominator(Normal[Pivots[R]]));
    }
    Equation E{{}, 0};
    for (std::size_t I = 0; I < Width; ++I) {
      E.Factors.push_back(numerator(Rational(Normal[I] * Common)));
      E.Constant += E.Factors[I] * Origin[I];
    }
    All.push_back(std::move(E));
  }
  return All;
}

} // namespace rdma::clang_ir
