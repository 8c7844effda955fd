// Locks. All are BasicLockable; acquire and release return a status, lock throws error, unlock does not.
//
// - weak_lock: mutual exclusion for the CPU's accesses; remote operations may still be on their way at the
// release.
// - strong_lock: everything done inside is in memory, for everyone, before the release.
// - node_lock: the same towards the lock's node, for those who take the lock; the cheapest for data on one
// node.
// - ticket_lock: the node lock with its strength as a parameter.
// - tas_lock: a word taken by compare-and-swap; threads of one node pass it on among themselves.
//
// Ticket locks (the first four) are fair: first come, first served. Cost, uncontended: acquire 1 round trip
// (node_lock 2), release 0 (strong_lock 1). They need remote atomics. (SYNC, sections on the three locks;
// stamps there.)
#pragma once

#include "rdma/objects/roster.h"

#include <chrono>
#include <exception>
#include <functional>
#include <mutex>

namespace rdma::objects {

/// lock and unlock in terms of acquire and release. lock throws error when a node is lost; unlock, which the
/// destructor of a guard calls, does not: the next operation says so, whatever it is.
template <class Lock> class basic_lockable {
public:
  void lock() {
    if (status S = static_cast<Lock *>(this)->acquire(); S != status::ok)
      throw static_cast<Lock *>(this)->failure(S);
  }
  void unlock() noexcept { (void)static_cast<Lock *>(this)->release(); }
};

/// What each thread of this node keeps about a lock that it holds.
struct alignas(line_size) held_ticket {
  word Value = 0;
};

class weak_lock : public channel, public basic_lockable<weak_lock> {
public:
  /// Host: the node of the dispenser.
  weak_lock(std::string Name, manager &Manager, node_id Host);
  status acquire();
  status release();

private:
  bool released(word Ticket) const;
  roster Who;
  word *Released; ///< the last ticket plus one that each thread gave back, a line each
  const remote *Dispenser;
  std::vector<const remote *> Copies;
  std::vector<held_ticket> Held;
};

class strong_lock : public channel, public basic_lockable<strong_lock> {
public:
  strong_lock(std::string Name, manager &Manager, node_id Host)
      : channel(Name, Manager), Tickets(Name + "/tickets", Manager, Host) {
    join();
  }
  status acquire() { return Tickets.acquire(); }
  status release() {
    if (status S = owner().fence(); S != status::ok)
      return S;
    return Tickets.release();
  }

private:
  weak_lock Tickets;
};

/// How far a release reaches.
enum class strength {
  weak,   ///< the operations inside may be on their way still
  node,   ///< those towards the lock's node come before what the next holder does there
  strong, ///< all are in memory
};

class ticket_lock : public channel, public basic_lockable<ticket_lock> {
public:
  ticket_lock(std::string Name, manager &Manager, node_id Host, strength Strength);
  /// Below another channel: one of several locks of an object.
  ticket_lock(const channel &Parent, const std::string &Name, node_id Host, strength Strength);
  status acquire();
  status release();
  node_id host() const { return Host; }

private:
  void setUp();
  node_id Host;
  strength Strength;
  const remote *Dispenser, *Served;
  std::vector<held_ticket> Held;
};

class node_lock : public ticket_lock {
public:
  node_lock(std::string Name, manager &Manager, node_id Host)
      : ticket_lock(std::move(Name), Manager, Host, strength::node) {}
  node_lock(const channel &Parent, const std::string &Name, node_id Host)
      : ticket_lock(Parent, Name, Host, strength::node) {}
};

class tas_lock : public channel, public basic_lockable<tas_lock> {
public:
  tas_lock(std::string Name, manager &Manager, node_id Host);
  status acquire();
  /// Done: whether it was taken.
  status try_acquire(bool &Done);
  status release();
  /// Calls F under the lock, in this thread or in one of the same node that holds the lock; operations of F
  /// go through the endpoint of the thread that calls it. What F throws, run throws.
  template <class F> status run(F &&Do) { return combine(std::function<void()>(std::ref(Do))); }

private:
  static constexpr unsigned MostPassed = 64; ///< times in a row that the lock stays on one node
  struct request {
    std::function<void()> *Do;
    request *Next = nullptr;
    std::atomic<bool> Done{false};
    status Result = status::ok;
    std::exception_ptr Thrown;
    void run();
  };
  status combine(std::function<void()> Do);
  void serve(endpoint &Here);
  void answer(status S);
  status lockLocal();
  status take(endpoint &Here);
  status giveBack(endpoint &Here);

  node_id Host;
  const remote *Word;
  std::timed_mutex Local; ///< of the holder among this node's threads
  std::atomic<unsigned> Waiting{0};
  bool Ours = false; ///< this node has the word; guarded by Local, as is Passed
  unsigned Passed = 0;
  std::atomic<request *> Requests{nullptr};
};

} // namespace rdma::objects
