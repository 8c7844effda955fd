// The smallest affine space that holds a set of points: all linear equations that are true of them.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <vector>

namespace rdma::clang_ir {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

/// Coefficients and constant: sum of Factors[i] * x[i] == Constant.
struct Equation {
  std::vector<Integer> Factors;
  Integer Constant;
};

/// Grows with every point that is not in it, at most as many times as there are coordinates, plus one.
class AffineHull {
public:
  explicit AffineHull(std::size_t Coordinates) : Width(Coordinates) {}

  bool empty() const { return Origin.empty(); }
  /// Says whether the point was outside.
  bool add(const std::vector<Integer> &Point);
  /// As many as the space lacks dimensions; of an empty one, none (no point fulfils them all).
  std::vector<Equation> equations() const;

private:
  using Row = std::vector<Rational>;
  std::size_t Width;
  std::vector<Integer> Origin;
  std::vector<Row> Directions; ///< in reduced row echelon form
  std::vector<std::size_t> Pivots;
};

} // namespace rdma::clang_ir
