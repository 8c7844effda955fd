// A litmus program written down as C or C++ with a topology.
#pragma once

#include "Style.h"
#include "test/unit/explorer/RandomProgram.h"

#include <map>
#include <string>
#include <vector>

namespace rdma::test {

struct Sources {
  std::vector<std::string> Files;           ///< to be analysed, in this order
  std::map<std::string, std::string> Texts; ///< by file; headers too
  std::string Topology;
};

/// The same for every program of a language, so that they are compiled once.
std::string includes(const Style &S);

/// The random program without what no verbs program says: a wait becomes polls, a remote fence the fence flag
/// of the next request, if there is one.
Program inVerbs(const RandomProgram &P, std::uint64_t Seed);

/// The style, or the nearest one that can say this program.
Style writableStyle(const Program &P, Style S);

Sources writeSources(const Program &P, const Style &S, std::uint64_t Seed);

} // namespace rdma::test
