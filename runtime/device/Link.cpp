#include "runtime/device/Link.h"

#include "runtime/device/Choices.h"

namespace rdma::device::link {

namespace {

using namespace std::chrono;

/// When what was posted before has left, all queue pairs together.
std::atomic<int64_t> FreeAt{0};

int64_t since(Clock::time_point At) { return duration_cast<nanoseconds>(At.time_since_epoch()).count(); }

/// The bytes of a request that go over the link, one way or the other.
int64_t occupied(const Request &R) {
  uint64_t PerSecond = Settings::get().BytesPerSecond;
  return PerSecond
             ? static_cast<int64_t>(static_cast<double>(R.Length) * 1e9 / static_cast<double>(PerSecond))
             : 0;
}

int64_t jitter(const QueuePair &Qp, const Request &R) {
  uint64_t Most = Settings::get().JitterNanoseconds;
  if (!Most)
    return 0;
  uint64_t Index = queuePairIndex(Qp.number());
  uint64_t Process = Qp.Home.lid() - Settings::get().StreamBase;
  return static_cast<int64_t>(scatterBits({Settings::get().Seed, Process, Index, R.Position}) % (Most + 1));
}

} // namespace

bool isSlow() {
  const Settings &S = Settings::get();
  return S.LatencyNanoseconds || S.BytesPerSecond || S.JitterNanoseconds;
}

Clock::time_point readyAt(QueuePair &Qp, const Request &R) {
  int64_t Now = since(Clock::now()), Takes = occupied(R), Before = FreeAt.load(), Left;
  do
    Left = std::max(Now, Before) + Takes;
  while (Takes && !FreeAt.compare_exchange_weak(Before, Left));
  int64_t Latency = static_cast<int64_t>(Settings::get().LatencyNanoseconds);
  return Clock::time_point(nanoseconds((Takes ? Left : Now) + Latency + jitter(Qp, R)));
}

void note(Clock::time_point Ready) {
  int64_t Due = since(Ready), Known = NextDue.load();
  while (Due < Known && !NextDue.compare_exchange_weak(Known, Due)) {
  }
}

void carryOutDue() {
  if (since(Clock::now()) < NextDue)
    return;
  NextDue = Never; // each that still waits notes it again
  Node::forEach([](Node &N) {
    N.forEachQueuePair([](QueuePair &Qp) {
      if (Qp.IsDelayed)
        Qp.progress();
    });
  });
}

} // namespace rdma::device::link
