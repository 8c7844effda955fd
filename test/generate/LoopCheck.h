// What rdma-tidy says of a program of loops, against what its runs are.
#pragma once

#include "LoopText.h"

namespace rdma::test {

struct LoopCase {
  LoopProgram Code;
  Style Written;
  std::uint64_t Seed = 0;
  LoopTruth Truth;
};

enum class Judged : std::uint8_t {
  Accepted,
  NotProved,
  Warned,
  Refused, ///< an error, where there is none in the source
  Emitted, ///< what --emit-ir prints gets another verdict than the program it was printed for
  Crashed
};
inline constexpr unsigned NumJudged = 6;
std::string_view name(Judged J);

struct LoopVerdict {
  Judged What = Judged::Accepted;
  std::string Why;
};

/// One whose truth is known. Plain: written in the first way of each aspect.
LoopCase makeLoops(std::uint64_t Seed, bool Plain = false);
LoopVerdict judge(const LoopCase &C);
/// Accepted though it is not robust, or no verdict at all.
bool isWrong(const LoopCase &C, const LoopVerdict &V);
/// Less of it and plainer, as long as the truth and the verdict are the same.
LoopCase shrink(const LoopCase &C, const LoopVerdict &V);
/// What it was drawn as, a run that is not robust, the sources, the topology.
std::string print(const LoopCase &C);

} // namespace rdma::test
