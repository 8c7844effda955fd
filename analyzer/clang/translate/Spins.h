// Loops that do nothing but look at a word until it lets them pass.
#pragma once

#include "ir/Program.h"

namespace rdma::clang_ir {

/// Leaves out each look at a word that did not let the thread pass, where it does nothing then but look at
/// the same word again: what such a look found goes nowhere. With it or without, a program has the same
/// outcomes, and only the look that passes may be out of order with what others see (as model checkers take
/// a loop that waits for an assume).
void dropSpins(Program &P);

} // namespace rdma::clang_ir
