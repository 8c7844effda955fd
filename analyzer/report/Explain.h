// From violations to findings: which words, at which places.
#pragma once

#include "analyzer/core/Verdict.h"
#include "analyzer/report/Finding.h"

namespace rdma {

/// The findings of a verdict, sorted by place, one for each pair of places: local races, atomicity breaks,
/// and the pairs that an open critical cycle needs. Pairs that are open because a fact was lost (Reasons.h)
/// are remarks, one for each fact. Unfenced pairs that no cycle needs are remarks of
/// `rdma-fenced-strict`. What the extraction could not resolve are remarks of `rdma-not-analysed`.
std::vector<Finding> explain(const Program &P, const Verdict &V);

/// What came of looking for an execution, as notes of the finding; none when it was not asked for.
std::vector<Note> confirmationNotes(const Finding &F);

Summary summarize(const Program &P, const Verdict &V, Model M);

/// What is known of a program after judge: a pair that is open for a reason that is understood makes it not
/// robust.
enum class Standing : std::uint8_t { Robust, NotProved, NotRobust };
Standing standing(const Summary &S);
std::string_view name(Standing S);

} // namespace rdma
