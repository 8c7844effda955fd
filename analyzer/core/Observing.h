// Threads that other threads look at, and what of them is not known: whether they have waited for these, and
// whether they come to look at all.
#pragma once

#include "analyzer/core/Violation.h"
#include "ir/Program.h"

#include <map>
#include <vector>

namespace rdma {

/// What a thread that other threads look at beside these may not have come to, or only behind their ends.
struct Observing {
  LostFactId Fact;                 ///< the first that says so
  std::vector<StatementId> Looks;  ///< loads of which each may have heard the end of a thread that is joined
  std::vector<StatementId> Seldom; ///< places that only an exception leads to, or being the last owner
};

/// What a statement looks at that does nothing else, but for keeping it in text; invalid: it is no such one.
Access lookedAt(const Statement &S);

std::map<ThreadIndex, Observing> observing(const Program &P);

/// The fact on which it may hang that somebody else can tell a pair apart: one of a thread that looks, or
/// of the thread itself, which may have waited for those that look or be there only behind an exception. What
/// the last owner does comes behind all that the others have done.
LostFactId whySeen(const Violation &X, const std::map<ThreadIndex, Observing> &Observers);

/// A program like this one in which nothing throws, nobody is the last owner of anything, and every join has
/// waited for all that it may wait for.
Program heardAndQuiet(const Program &P, const std::map<ThreadIndex, Observing> &Observers);

} // namespace rdma
