// What the counting of a program may cost.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <thread>
#include <z3++.h>

namespace rdma::clang_ir {

/// Counted in the solver's own steps, so that a busy or slow machine gives the same verdicts; and in the
/// processor time of the thread that made it, as there are questions of which a step takes a thousand times
/// as long as of others: those are broken off.
class Budget {
public:
  /// Steps: eight million are some eight seconds, mostly.
  explicit Budget(std::uint64_t Steps = 8'000'000, double Seconds = 12);
  /// Can the formula of the solver be satisfied? Unknown: not settled within the steps and the time of one
  /// question.
  z3::check_result ask(z3::solver &Solver);
  /// Nothing more is concluded.
  bool spent() const { return Left == 0 || secondsNow() > Until; }

private:
  double secondsNow() const;
  z3::check_result askOnce(z3::solver &Solver);
  void watch(const std::stop_token &Stop);

  clockid_t Clock;
  std::uint64_t Left;
  double Until;
  std::mutex Guard; ///< of the two below
  z3::context *Asked = nullptr;
  double AskedUntil = 0;
  std::condition_variable_any Changed;
  std::jthread Watcher; ///< last, so that it ends first
};

} // namespace rdma::clang_ir
