// A finding: what a user is told about one pair of operations. A value; analysis makes it, formats print it.
#pragma once

#include "ir/Program.h"

#include <string>
#include <vector>

namespace rdma {

enum class Severity : std::uint8_t { Warning, Remark };

struct Note {
  Place At;
  std::string Text;
};

struct Finding {
  std::string Check; ///< rdma-local-race, rdma-fenced, rdma-atomics, rdma-fenced-strict or rdma-not-analysed
  Severity Level = Severity::Warning;
  Note Main;
  std::vector<Note> Notes = {};
};

/// The honest line's figures.
struct Summary {
  unsigned Operations = 0, QueuePairs = 0;
  unsigned PairsOrdered = 0, PairsNotOrdered = 0, PairsNotProved = 0;
  unsigned SitesNotAnalysed = 0;
  bool Robust = false;
  std::string Model;
};

} // namespace rdma
