// Two processes of a benchmark, each on a core of its own: the parent measures, the child is its peer.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace bench {

/// What each side tells the other before it begins.
struct Card {
  uint64_t Address = 0, Key = 0;
  uint32_t Number = 0, Lid = 0;
  char Name[128] = {};
  uint64_t NameSize = sizeof Name;
};

[[noreturn]] inline void fail(const char *What) {
  fprintf(stderr, "%s failed\n", What);
  _exit(2);
}

inline void pin(int Core) {
  cpu_set_t One;
  CPU_ZERO(&One);
  CPU_SET(Core, &One);
  sched_setaffinity(0, sizeof One, &One); // a machine with one core shares it
}

/// A place both processes see. Waiting gives the core away: it is not what is measured.
class Pair {
public:
  Pair() {
    void *At = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Both = new (At) Page;
    Child = fork();
    if (Child == 0)
      prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(isPeer() ? 1 : 0);
  }
  ~Pair() {
    if (!isPeer())
      waitpid(Child, nullptr, 0);
  }
  Pair(const Pair &) = delete;

  bool isPeer() const { return Child == 0; }
  /// Both come here before either goes on.
  void meet() {
    ++Meetings;
    Both->Arrived++;
    while (Both->Arrived < 2 * Meetings) {
      usleep(50);
      // It may have come here and gone on to its end.
      if (!isPeer() && waitpid(Child, nullptr, WNOHANG) == Child && Both->Arrived < 2 * Meetings)
        fail("the other process");
    }
  }
  Card exchange(const Card &Mine) {
    Both->Cards[isPeer()] = Mine;
    meet();
    return Both->Cards[!isPeer()];
  }
  void finish() { Both->Finished = true; }
  bool finished() const { return Both->Finished.load(std::memory_order_relaxed); }

private:
  struct Page {
    std::atomic<unsigned> Arrived{0};
    std::atomic<bool> Finished{false};
    Card Cards[2];
  };
  Page *Both;
  pid_t Child;
  unsigned Meetings = 0;
};

inline double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> Values) {
  std::nth_element(Values.begin(), Values.begin() + static_cast<long>(Values.size() / 2), Values.end());
  return Values[Values.size() / 2];
}

/// A processor that has slept is slow at first.
template <typename Call> void warmUp(Call &&Once) {
  for (double End = now() + 0.1; now() < End;)
    Once();
}

/// The median time of one of Count calls, in microseconds. Sixteen are timed at once: the clock costs about
/// as much as one.
template <typename Call> double medianTime(unsigned Count, Call &&Once) {
  constexpr unsigned AtOnce = 16;
  std::vector<double> Times(Count / AtOnce);
  for (double &Time : Times) {
    double Begin = now();
    for (unsigned I = 0; I < AtOnce; ++I)
      Once();
    Time = (now() - Begin) * 1e6 / AtOnce;
  }
  return median(std::move(Times));
}

/// How many calls a second, each of which does so many things.
template <typename Call> double rate(unsigned Calls, unsigned Things, Call &&Once) {
  warmUp(Once);
  double Begin = now();
  for (unsigned I = 0; I < Calls; ++I)
    Once();
  return Calls * double(Things) / (now() - Begin);
}

constexpr size_t BufferSize = size_t(4) << 20;

/// Two megabytes to send from, two to be written.
inline char *buffer() {
  void *At = aligned_alloc(size_t(2) << 20, BufferSize);
  memset(At, 1, BufferSize);
  return static_cast<char *>(At);
}

/// The rows of the table, each measured by a run of its own.
struct Row {
  const char *Name;
  double (*Measure)();
};

template <size_t N> int run(const Row (&Rows)[N], int Count, char **Arguments) {
  for (const Row &R : Rows)
    if (Count == 2 && R.Name == std::string(Arguments[1])) {
      double Value = R.Measure();
      printf("%.6g\n", Value);
      return 0;
    }
  fprintf(stderr, "usage: %s ROW\n", Arguments[0]);
  return 2;
}

} // namespace bench
