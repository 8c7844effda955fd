// What the name of a queue pair leads through, and whether that is still there.
#pragma once

#include "rewriter/source/Syntax.h"

#include <set>

namespace rdma::source {

/// The variable or member that the expression is the name of; null: it is none.
const clang::ValueDecl *named(const clang::Expr *E);

/// The variables and members whose value is followed: c, and the member link, in `c->link->qp`.
using Carriers = std::set<const clang::ValueDecl *>;
Carriers carriersIn(const clang::Expr *E);

/// May one of them have been freed, or lead elsewhere, on the way from an offset of the function to the slot?
/// By the text: an end stands between the two, around a loop where the slot comes first, and nothing behind
/// the slot uses it any more. A function without a body may free what it gets.
bool mayHaveEnded(const Syntax &S, const Carriers &Followed, unsigned From, const Slot &At);
/// What does so within the slot's own statement.
std::vector<const clang::Expr *> endedIn(const Syntax &S, const Carriers &Followed, const Slot &At);

} // namespace rdma::source
