// Exchanges whose result is tested, of which locks are made: test-and-set.
#pragma once

#include "ir/Program.h"

#include "analyzer/clang/counts/Sites.h"

#include <llvm/IR/Instructions.h>

#include <deque>

namespace rdma::clang_ir {

/// An exchange at whose block's end it is tested whether it has found a number.
struct TestedExchange {
  std::int64_t Number;
  unsigned OnEqual; ///< the successor where it has
};
std::optional<TestedExchange> testedExchange(const llvm::AtomicRMWInst &Exchange);

/// A word that never has but two values is left as it is where an exchange of one for the other finds the
/// first there: it becomes a compare-and-swap, by Operation::Success on the edges behind it. Of other words
/// it stays what it is, whichever way the test goes.
void compareTested(Program &P, const std::deque<CountedThread> &Threads);

} // namespace rdma::clang_ir
