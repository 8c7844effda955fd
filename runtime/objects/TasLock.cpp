#include "rdma/objects/locks.h"

#include <algorithm>
#include <utility>

namespace rdma::objects {

tas_lock::tas_lock(std::string Name, manager &Manager, node_id Host)
    : channel(std::move(Name), Manager), Host(Host) {
  require_atomics(*this);
  agree("host", Host);
  if (me() == Host)
    own("word", line_size);
  Word = &other(Host, "word", line_size);
  join();
}

/// Takes the word for this node, with pauses that double. Local is held.
status tas_lock::take(endpoint &Here) {
  waiting Wait(Here);
  for (std::uint64_t Pause = 1;; Pause = std::min<std::uint64_t>(Pause * 2, 16)) {
    bool Done;
    word Seen = 0;
    if (status S = Here.compare_exchange(Seen, *Word, me() + 1, Done); S != status::ok)
      return S;
    if (Done)
      return Ours = true, status::ok;
    if (status S = Wait.back_off(Pause); S != status::ok)
      return S;
  }
}

/// On the queue pair of the operations inside, and behind its gets: they come before what the next holder
/// does.
status tas_lock::giveBack(endpoint &Here) {
  Ours = false;
  Passed = 0;
  return Here.put_word(*Word, 0, nullptr, fenced);
}

/// Until no other thread of this node has it, or nobody should wait any more.
status tas_lock::lockLocal() {
  constexpr auto LookAgain = std::chrono::milliseconds(10);
  while (!Local.try_lock_for(LookAgain))
    if (status S = owner().health(); S != status::ok)
      return S;
  return status::ok;
}

status tas_lock::acquire() {
  endpoint &Here = owner().here();
  ++Waiting;
  status Locked = lockLocal();
  --Waiting;
  if (Locked != status::ok)
    return Locked;
  if (Ours)
    return ++Passed, status::ok;
  status S = take(Here);
  if (S != status::ok)
    Local.unlock();
  return S;
}

status tas_lock::try_acquire(bool &Done) {
  endpoint &Here = owner().here();
  Done = Local.try_lock();
  if (!Done)
    return status::ok;
  if (Ours)
    return ++Passed, status::ok;
  word Seen = 0;
  status S = Here.compare_exchange(Seen, *Word, me() + 1, Done);
  Ours = Done;
  if (!Done)
    Local.unlock();
  return S;
}

status tas_lock::release() {
  endpoint &Here = owner().here();
  // The next holder of this node has a queue pair of its own: what was done here must be in memory first.
  bool Pass = Waiting && Passed < MostPassed;
  status S = Pass ? Here.fence(node_set{Host}) : giveBack(Here);
  Local.unlock();
  return S;
}

/// What it throws is for the thread that asked, whichever runs it.
void tas_lock::request::run() {
  try {
    (*Do)();
  } catch (...) {
    Thrown = std::current_exception();
  }
}

/// Runs what is asked for, oldest first; with another status than ok, answers with that. Local is held in the
/// first case.
void tas_lock::answer(status S) {
  request *Batch = Requests.exchange(nullptr, std::memory_order_acquire), *Oldest = nullptr;
  while (Batch) {
    request *Next = Batch->Next;
    Batch->Next = Oldest;
    Oldest = std::exchange(Batch, Next);
  }
  for (request *R = Oldest; R;) {
    request *Next = R->Next; // R is gone as soon as it is done
    if (S == status::ok)
      R->run();
    R->Result = S;
    R->Done.store(true, std::memory_order_release);
    R = Next;
  }
}

/// Local is held.
void tas_lock::serve(endpoint &Here) {
  answer(Ours ? status::ok : take(Here));
  if (Ours)
    (void)giveBack(Here);
}

status tas_lock::combine(std::function<void()> Do) {
  endpoint &Here = owner().here();
  request Mine;
  Mine.Do = &Do;
  Mine.Next = Requests.load(std::memory_order_relaxed);
  while (
      !Requests.compare_exchange_weak(Mine.Next, &Mine, std::memory_order_release, std::memory_order_relaxed))
    ;
  waiting Wait(Here);
  while (!Mine.Done.load(std::memory_order_acquire))
    if (Local.try_lock()) {
      if (!Mine.Done.load(std::memory_order_acquire))
        serve(Here);
      Local.unlock();
    } else if (status S = Wait.step(); S != status::ok) {
      answer(S); // who holds the lock may never give it back; what it has begun to serve it answers
    }
  if (Mine.Thrown)
    std::rethrow_exception(Mine.Thrown);
  return Mine.Result;
}

} // namespace rdma::objects
