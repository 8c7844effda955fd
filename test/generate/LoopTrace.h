// What a program of loops does, as straight lines: its verdict is that of every litmus program that it may
// become.
#pragma once

#include "LoopProgram.h"

#include <optional>
#include <set>

namespace rdma::test {

/// How the program is written decides some of what it does.
struct LoopForm {
  bool Constant = false;   ///< the number of rounds is one constant
  bool BuffersEnd = false; ///< the buffers end with the thread
  unsigned Bits = 64;      ///< of its integers
  bool Unsigned = false;
};

struct LoopTruth {
  /// Is every run robust; absent: nothing can be said, as an index leaves its array, a run does not end, or
  /// the explorer cannot tell.
  std::optional<bool> Robust;
  std::string Litmus; ///< a part of a run that is not robust
  std::string Why;    ///< that nothing is said
};

LoopTruth truth(const LoopProgram &P, const LoopForm &Form);

} // namespace rdma::test
