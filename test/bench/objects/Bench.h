// A contender: runs on every node, and says how many operations a second there were. Names are ROW.WHO, such
// as barrier.ours.
#pragma once

#include "rdma/objects/barrier.h"
#include "test/objects/Group.h"

#include <chrono>
#include <memory>

namespace rdma::bench {

using namespace rdma::objects;
using objects::test::expect;
using objects::test::fail;
using objects::test::inThreads;
using objects::test::member;
using clock = std::chrono::steady_clock;

inline double seconds(clock::duration D) { return std::chrono::duration<double>(D).count(); }

/// For how long each node measures, and a number that the row means something by (outstanding messages,
/// window).
struct settings {
  std::chrono::milliseconds Time{200};
  unsigned Number = 1;
};
extern settings Settings;

/// Calls Once until the time is over; operations a second.
template <class Do> double rate(Do &&Once, unsigned Batch = 1) {
  auto Begun = clock::now();
  std::uint64_t Count = 0;
  do {
    Once();
    ++Count;
  } while (Count % Batch || clock::now() - Begun < Settings.Time);
  return static_cast<double>(Count) / seconds(clock::now() - Begun);
}

/// The rate of a number of rounds that all nodes make together.
template <class Do> double rateOf(std::uint64_t Rounds, Do &&Once) {
  auto Begun = clock::now();
  for (std::uint64_t I = 0; I < Rounds; ++I)
    Once(I);
  return static_cast<double>(Rounds) / seconds(clock::now() - Begun);
}

struct contender {
  const char *Name;
  void (*Run)(member &); ///< says lines with numbers
  bool Sum;              ///< of all lines, else their median
};
std::vector<contender> &contenders();
struct enter {
  enter(const char *Name, void (*Run)(member &), bool Sum = false) {
    contenders().push_back({Name, Run, Sum});
  }
};

} // namespace rdma::bench
