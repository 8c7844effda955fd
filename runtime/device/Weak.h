// The weak schedule: requests take the steps of the NIC rules (runtime/nic) one at a time, late, and in any
// order that the rules allow.
//
// Time is counted in verbs calls of the process: each post and each poll is one tick, and every queue pair
// has a tick at which it takes its next step, one of those enabled. Most steps follow soon, a few are held
// back for thousands of ticks, about a millisecond, so that other processes see what is missing. While the
// program makes no calls the service thread moves the clock on. Which step is taken, and when the next one is
// due, is a choice about the request (device/Choices.h), so a program whose threads are deterministic gets
// the same run from the same seed.
//
// The ordered schedule differs in one thing: what is acknowledged reaches its target in the order of
// acknowledgement (device/Inbound.h).
#pragma once

#include "runtime/device/Activity.h"
#include "runtime/device/Choices.h"
#include "runtime/device/QueuePair.h"
#include "runtime/nic/Steps.h"

#include <poll.h>

namespace rdma::device {

/// What is chosen.
enum class Choice : uint64_t { Temper, Split, First, Next, Delay, Hold, HoldAll, HoldDelay, Retry, Tear };

class WeakScheduler : public Attendant {
public:
  /// Null under the strong schedule.
  static WeakScheduler *get() { return The; }
  /// A node has joined; one at a time. The first of the process gives the stream its number.
  static void start(uint32_t Lid);
  /// What is on its way is the parent's; the child's own nodes have still to join.
  static void afterForkInChild();

  /// One lock for everything that is scheduled here; also that of each queue pair.
  OwnerLock Lock;

  /// A request enters the NIC.
  void post(QueuePair &Qp, Request &&R);
  /// The program made a verbs call.
  void call();
  /// The program is about to sleep until an event comes out of this descriptor: meanwhile the clock goes on.
  /// False with EINTR: a signal has come.
  bool awaitEvent(int Fd);
  /// As poll(2), with the clock going on while something is on its way. Without a scheduler it is poll(2).
  static int awaitEvents(pollfd *Files, size_t Count, int Milliseconds);
  /// Whether a call that a signal has interrupted is to say so. The kernel goes on with a read where the
  /// handler was installed with SA_RESTART, never with a poll, and does not tell which signal it was.
  static bool isToldOfSignals();
  /// The program gives its processor to others, which it gets back when they let it: a fixed time, lest a run
  /// depend on the load of the machine.
  void yielded();
  /// As many ticks as so many calls; nobody else moves meanwhile.
  void pass(uint64_t Ticks);
  /// Another run: nothing is on its way any more, and the choices are those of the seed. From the first
  /// restart on the service thread leaves the clock alone.
  void restart(uint64_t Seed);
  /// Lets everything on its way arrive, without further delay but in bounded time; then nothing is left.
  void drain(QueuePair &Qp);
  void drainAll();
  /// The connection is about to end: what the target has acknowledged completes first.
  void beforeTheEnd(QueuePair &Qp);
  /// The error state: what is on its way to memory arrives, the rest is flushed.
  void flush(QueuePair &Qp);
  /// A request has failed, and its completion waits for its turn.
  bool failureDue(const QueuePair &Qp) const;

  std::optional<std::chrono::nanoseconds> progress() override;

private:
  explicit WeakScheduler(uint32_t Lid);
  void begin(uint64_t Seed);
  uint64_t choose(const QueuePair &Qp, Choice What, uint64_t About = 0, uint64_t Again = 0) const;
  uint64_t aboutStep(const QueuePair &Qp, nic::Step S) const;
  std::vector<Piece> choosePieces(const QueuePair &Qp, const std::shared_ptr<Request> &R,
                                  uint64_t Number) const;
  uint64_t delay(uint64_t Chosen) const;
  uint64_t longDelay(uint64_t Chosen) const;
  /// As poll(2), as long as something is on its way; nothing when nothing is.
  static std::optional<int> nap(pollfd *Files, size_t Count, Clock::time_point End);
  bool passNap(uint64_t Ticks);
  void run();
  void takeTurn(QueuePair &Qp);
  bool isReluctant(nic::Step S) const;
  bool holdsBack(QueuePair &Qp, std::vector<nic::Step> &Steps) const;
  /// The step that was taken, as aboutStep tells of it.
  std::optional<uint64_t> take(QueuePair &Qp, std::vector<nic::Step> Steps);
  bool takeOne(QueuePair &Qp, nic::Step S, bool &Blocked);
  void settle(QueuePair &Qp);
  void acknowledge(QueuePair &Qp, uint32_t Position);
  void arriveAll(QueuePair &Qp);
  void discard(QueuePair &Qp);

  static WeakScheduler *The;
  uint32_t Lid;
  bool Driven = false;                    ///< by a program that lets time pass itself
  uint64_t Run = 0;                       ///< the key of all choices
  uint64_t Epoch = 0;                     ///< counts the runs
  uint64_t Enrolled = 0;                  ///< queue pairs that have had a request
  uint64_t LongChance = 0, LongDelay = 0; ///< in thousandths; in ticks
  unsigned Reluctance = 0;                ///< which kind of step is held back more than the others
  ActivityWatch Watch;
  uint64_t Now = 0, CallsBefore = 0;
  std::atomic<uint64_t> Calls{0};
  std::vector<QueuePair *> Active; ///< in the order in which they became active
};

} // namespace rdma::device
