// Of a loop over buffers: how many of them there may be.
#pragma once

#include "rewriter/source/Syntax.h"

#include <set>
#include <vector>

namespace rdma::source {

class Sizes {
public:
  /// What the function at the place takes an index modulo of, and how many elements the arrays have of which
  /// it takes one by an index that is not constant.
  void addFrom(const Syntax &S, const Place &Where);
  /// At most so many, of two or more buffers: moduli first, and the larger.
  std::vector<unsigned> likeliest(std::size_t Most) const;

private:
  std::set<const clang::FunctionDecl *> Seen;
  std::set<unsigned, std::greater<>> Moduli, Extents;
};

} // namespace rdma::source
