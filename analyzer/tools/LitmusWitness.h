// A weak execution for people: step by step, why it is weak, and as a Graphviz picture.
#pragma once

#include "analyzer/explorer/Witness.h"

namespace rdma {

/// Lines of the file that the program was read from, to quote its statements.
using SourceLines = std::vector<std::string>;
SourceLines readLines(const std::string &File);

std::string asText(const Program &P, const explorer::Witness &W, const SourceLines &Source);

/// Threads are columns, events stand in program order; red: program order that was broken.
std::string asDot(const Program &P, const explorer::Witness &W, const SourceLines &Source);

} // namespace rdma
