#include "analyzer/clang/counts/Budget.h"

#include <algorithm>
#include <chrono>
#include <pthread.h>

namespace rdma::clang_ir {

namespace {

constexpr double MostSecondsOfOne = 2;
constexpr std::chrono::milliseconds LookEvery{50};

/// That the solver's context has taken so far, for all of its questions.
std::uint64_t stepsOf(const z3::solver &Solver) {
  const z3::stats Figures = Solver.statistics();
  for (unsigned I = 0; I < Figures.size(); ++I)
    if (Figures.key(I) == "rlimit count")
      return Figures.is_uint(I) ? Figures.uint_value(I) : static_cast<std::uint64_t>(Figures.double_value(I));
  return 0;
}

} // namespace

Budget::Budget(std::uint64_t Steps, double Seconds) : Left(Steps) {
  if (pthread_getcpuclockid(pthread_self(), &Clock))
    Clock = CLOCK_PROCESS_CPUTIME_ID;
  Until = secondsNow() + Seconds;
  Watcher = std::jthread([this](const std::stop_token &Stop) { watch(Stop); });
}

double Budget::secondsNow() const {
  timespec Now{};
  clock_gettime(Clock, &Now);
  return static_cast<double>(Now.tv_sec) + static_cast<double>(Now.tv_nsec) * 1e-9;
}

/// An interrupt that comes before the solver has begun is lost: it is sent until the question is over.
void Budget::watch(const std::stop_token &Stop) {
  std::unique_lock Lock(Guard);
  while (Changed.wait(Lock, Stop, [&] { return Asked != nullptr; })) {
    Changed.wait_for(Lock, Stop, LookEvery, [&] { return !Asked; });
    if (Asked && secondsNow() > AskedUntil)
      Asked->interrupt();
  }
}

z3::check_result Budget::askOnce(z3::solver &Solver) {
  auto setAsked = [&](z3::context *Context) {
    const std::lock_guard Lock(Guard);
    Asked = Context;
    AskedUntil = std::min(Until, secondsNow() + MostSecondsOfOne);
  };
  setAsked(&Solver.ctx());
  Changed.notify_one();
  const z3::check_result Answer = Solver.check();
  setAsked(nullptr);
  return Answer;
}

z3::check_result Budget::ask(z3::solver &Solver) {
  const std::uint64_t Before = stepsOf(Solver);
  z3::check_result Answer = z3::unknown;
  // What is not settled in one order of its choices may be in another.
  for (unsigned Seed : {0u, 7u})
    if (Answer == z3::unknown && !spent()) {
      Solver.set("random_seed", Seed);
      Answer = askOnce(Solver);
    }
  Left -= std::min(Left, stepsOf(Solver) - Before);
  return Answer;
}

} // namespace rdma::clang_ir
