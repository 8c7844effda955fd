// The program's own wait, where it stands too late. Private to the source library.
#pragma once

#include "rewriter/source/Syntax.h"

namespace rdma::source {

/// The first statement behind the slot's, in the same block, that takes completions, when it may as well
/// stand before the slot: what it would then come before neither jumps nor posts nor calls what is not known,
/// and the two share no variable. Null when there is none.
const clang::Stmt *movablePoll(const Syntax &S, const Slot &At);

/// The lines of a statement that has them for itself, with the comment right above: from where to where.
/// Nothing when it shares a line.
std::optional<std::pair<unsigned, unsigned>> ownLines(const Syntax &S, const clang::Stmt *What);

} // namespace rdma::source
