// The program's own wait, where it stands too late. Private to the source library.
#pragma once

#include "rewriter/source/Syntax.h"

namespace rdma::source {

/// A statement that takes completions, or the declaration of what it takes them into and that statement.
struct OwnPoll {
  const clang::Stmt *First = nullptr, *Last = nullptr;
};

/// The first statements behind the slot's, in the same block, that take completions, so many of them, when
/// they may as well stand before the slot: what they would then come before neither jumps nor posts nor calls
/// what is not known, and the two share no variable but what is declared for the poll right above it. Nothing
/// when there are not so many.
std::vector<OwnPoll> movablePolls(const Syntax &S, const Slot &At, unsigned Count);

/// The lines that it has for itself, with the comment right above: from where to where. Nothing when it
/// shares a line.
std::optional<std::pair<unsigned, unsigned>> ownLines(const Syntax &S, const OwnPoll &Poll);

} // namespace rdma::source
