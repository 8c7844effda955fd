// How a driver times its operations: in rounds of equal length, of which the median is told, so that a
// process that was sent off its core for a moment does not count.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace rdma::bench {

/// Calls Round, which does Operations of them, again and again, and prints "ROW NANOSECONDS" for one
/// operation.
inline void tell(const char *Row, unsigned Operations, const std::function<void()> &Round,
                 unsigned Rounds = 1001) {
  using Clock = std::chrono::steady_clock;
  for (unsigned I = 0; I < Rounds / 10; ++I)
    Round();
  std::vector<double> Each;
  for (unsigned I = 0; I < Rounds; ++I) {
    auto Begin = Clock::now();
    Round();
    Each.push_back(std::chrono::duration<double, std::nano>(Clock::now() - Begin).count() / Operations);
  }
  std::nth_element(Each.begin(), Each.begin() + Rounds / 2, Each.end());
  printf("%s %.2f\n", Row, Each[Rounds / 2]);
  fflush(stdout);
}

} // namespace rdma::bench
