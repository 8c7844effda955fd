#include "test/device/Workers.h"

#include "rdma/emulated.h"

#include <algorithm>
#include <sched.h>

namespace rdma::test {

namespace {

/// When everybody has rested for so many ticks, nobody will move again.
constexpr uint64_t Patience = uint64_t(1) << 20;

/// Neighbours run on different processors, as far as there are several.
void settleOn(std::size_t Index) {
  cpu_set_t All, One;
  CPU_ZERO(&One);
  if (sched_getaffinity(0, sizeof All, &All))
    return;
  std::size_t Left = Index % static_cast<std::size_t>(CPU_COUNT(&All));
  for (std::size_t Cpu = 0; Cpu < CPU_SETSIZE; ++Cpu)
    if (CPU_ISSET(Cpu, &All) && Left-- == 0)
      CPU_SET(Cpu, &One);
  sched_setaffinity(0, sizeof One, &One);
}

} // namespace

Workers::Workers(std::vector<Processor> &Threads)
    : Threads(Threads), Seeds(Threads.size()), Turn(static_cast<std::ptrdiff_t>(Threads.size() + 1)) {
  for (std::size_t I = 0; I < Threads.size(); ++I)
    Crew.emplace_back([this, I] { work(I); });
}

Workers::~Workers() {
  Closing = true;
  Turn.arrive_and_wait();
}

bool Workers::run(Random &R) {
  for (uint64_t &Seed : Seeds)
    Seed = R.seed();
  Here = Resting = GivingUp = Idle = 0;
  Turn.arrive_and_wait();
  Turn.arrive_and_wait();
  return std::all_of(Threads.begin(), Threads.end(), [](const Processor &T) { return T.ended(); });
}

void Workers::work(std::size_t Index) {
  settleOn(Index);
  for (;;) {
    Turn.arrive_and_wait();
    if (Closing)
      return;
    Random R(Seeds[Index]);
    begin(Threads[Index], R);
    runOne(Threads[Index], R);
    Turn.arrive_and_wait();
  }
}

/// All set out at one instant, as far as there are processors for them, or a little apart.
void Workers::begin(Processor &T, Random &R) {
  T.lookAround();
  ++Here;
  for (unsigned Spin = 1; Here < Threads.size(); ++Spin)
    if (Spin % 4096 == 0)
      sched_yield();
  for (volatile uint64_t Steps = R.oneIn(2) ? 0 : R.below(uint64_t(1) << R.below(10)); Steps > 0;
       Steps = Steps - 1) {
  }
}

void Workers::runOne(Processor &T, Random &R) {
  bool IsSlow = R.oneIn(2), Rests = false, GivesUp = false;
  auto become = [](bool &State, std::atomic<std::size_t> &Count, bool Now) {
    if (State != Now)
      Count += Now ? 1 : -1;
    State = Now;
  };
  while (!T.ended() && GivingUp < Threads.size()) {
    bool Patient = Idle < Patience;
    if (T.step() == Attempt::Moved) {
      // Who has not rested touches nothing that is shared, and leaves its store buffer alone.
      if (Rests)
        Idle = 0;
      become(GivesUp, GivingUp, false);
      become(Rests, Resting, false);
      if (IsSlow && R.oneIn(3))
        rdma_emulated_pass(R.below(uint64_t(1) << R.below(14)));
      continue;
    }
    become(Rests, Resting, true);
    become(GivesUp, GivingUp, !Patient);
    uint64_t Ticks = 1 + R.below(256);
    if (Resting == Threads.size())
      Ticks += R.below(1 + Idle.fetch_add(Ticks));
    rdma_emulated_pass(Ticks);
    sched_yield();
  }
  become(Rests, Resting, true);
  become(GivesUp, GivingUp, true);
}

} // namespace rdma::test
