// Requests that are posted as a list. Private to the source library.
#pragma once

#include "rewriter/source/Syntax.h"

namespace rdma::source {

/// The requests of a list in the order in which they are posted, as far as the function says by `a.next = &b`
/// or in an initializer: the variable that Request is the address of, and those that it leads to. Each
/// expression names one of them. Empty when one has several successors, or one that is no variable.
std::vector<const clang::Expr *> requestsFrom(const clang::Expr *Request, const clang::FunctionDecl &In);

/// Where a request stands among those that one call posts, and how many these are.
std::pair<std::size_t, std::size_t> placeInList(const Thread &T, StatementId Request);

} // namespace rdma::source
