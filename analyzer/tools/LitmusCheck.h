// Evaluates the assertions of a litmus file against the models and the conditions.
#pragma once

#include "analyzer/explorer/Explore.h"
#include "ir/Litmus.h"

#include <map>

namespace rdma {

enum class Answer : std::uint8_t { Holds, Fails, Unknown };

struct CheckedAssertion {
  const Assertion *Which;
  Model CpuModel;
  Answer Result;
  std::string Because; ///< what was found instead; empty when it holds
};

struct CheckedTest {
  std::vector<CheckedAssertion> Assertions; ///< one for each model that the assertion names
  std::uint64_t States = 0;
  bool Bounded = false; ///< a loop would have needed longer queues than the limit allows
  Answer overall() const;
};

/// The time of the limits is for all assertions together.
CheckedTest check(const LitmusTest &Test, const explorer::Limits &L);

/// The final values of a program's locations, without those that only one operation knows:
/// "a=0; b=1;", locations in the order of the file.
std::string describe(const Program &P, const explorer::Outcome &O);

} // namespace rdma
