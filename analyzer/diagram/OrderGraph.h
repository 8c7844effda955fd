// The sub-events of a program as a Graphviz picture: what comes before what, and why.
#pragma once

#include "analyzer/core/Verdict.h"

#include <stdexcept>
#include <string>

namespace rdma {

/// An edge for each order that no two others imply, with the rule that keeps it; red ones for the open pairs
/// of V = decide(P, M). Loops are shown as one pass through them. Throws std::length_error where a thread has
/// more events than a picture can show.
std::string orderGraph(const Program &P, const Verdict &V, Model M);

} // namespace rdma
