// Which numbers an expression may be, as far as the sources show. Private to the source library.
#pragma once

#include "rewriter/source/Syntax.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rdma::source {

/// The bits of a number: those that are set for certain, and those that may be. Of one that is known they are
/// the same.
struct Bits {
  std::uint64_t Set = 0, Possible = ~std::uint64_t(0);
  auto operator<=>(const Bits &) const = default;
};

/// Variables, members and parameters are taken for everything that the sources store there or hand over,
/// wherever that is, in whatever object and in whatever order.
class Numbers {
public:
  explicit Numbers(const std::vector<const Syntax *> &Sources);
  ~Numbers();

  /// Each that the expression of one of the sources may be; one with all bits open where that is not known.
  std::set<Bits> of(const clang::Expr *E, const clang::ASTContext &Context);

private:
  struct Stores;
  std::set<Bits> of(const clang::Expr *E, const clang::ASTContext &Context, unsigned Depth);
  std::set<Bits> ofBinary(const clang::BinaryOperator &B, const clang::ASTContext &Context, unsigned Depth);
  std::set<Bits> ofCall(const clang::CallExpr &Call, const clang::ASTContext &Context, unsigned Depth);
  std::set<Bits> at(const std::string &Key, unsigned Depth);

  std::unique_ptr<Stores> All;
  std::map<std::string, std::set<Bits>> Found; ///< so far
  std::set<std::string> Working;               ///< whose numbers are being looked for
};

} // namespace rdma::source
