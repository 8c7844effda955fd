// A weak execution for people: step by step, why it is weak, and as a Graphviz picture.
#pragma once

#include "analyzer/explorer/Witness.h"
#include "analyzer/report/SourceLines.h"

namespace rdma {

std::string asText(const Program &P, const explorer::Witness &W, SourceLines &Source);

/// One digraph; its name is the program's. Threads are columns, events stand in program order; red: program
/// order that was broken.
std::string asDot(const Program &P, const explorer::Witness &W, SourceLines &Source);

} // namespace rdma
