// rdma-run --check: what a run shows of races between the program's threads and the NIC, and of requests that
// outlive what they use.
//
// Races are found by ThreadSanitizer, which the program is built with. Each kind of sub-event of a queue pair
// (nlR reads sources, nrW writes to the target, nrR reads from it, nlW delivers results, narR and narW are
// those of atomics) is told to it as a task of its own, ordered against the program and the others by the
// order table (ir/Orders.h) and guaranteed-before alone. So a race is found under every schedule, also when
// nothing went wrong.
//
// What requests do to the memory of their target is told where it lies in this process: its own memory, or
// what it has mapped of a peer's. Of a peer's memory only the requests of one queue pair are held against
// each other: how the peer orders others is not known here. What the peer's processors do meanwhile is told
// in its own process (device/Underway.h).
//
// What is said of lifetimes needs no ThreadSanitizer.
#pragma once

#include "ir/Orders.h"
#include "runtime/device/Callers.h"
#include "runtime/device/Peer.h"

#include <deque>
#include <span>
#include <vector>

namespace rdma::device {

struct QueuePair;
struct CompletionQueue;
struct Request;

namespace check {

/// The option was given.
extern const bool Enabled;

/// Eight bytes, the address of which stands for what has been done: ThreadSanitizer looks up what is known of
/// an address among those of its word.
using Mark = uint64_t;

/// Marks that requests have until their completion is taken. The one given back last is the first to be used
/// again: what ThreadSanitizer keeps of it is still near.
class Marks {
public:
  Mark *take();
  void giveBack(Mark *M) { Free.push_back(M); }

private:
  std::deque<Mark> All; ///< they stay where they are
  std::vector<Mark *> Free;
};

/// A request whose completion the program has not taken.
struct Outstanding {
  uint32_t Position;
  ibv_wr_opcode Opcode;
  bool Signaled, IsTold;
  const Stack *PostedAt;
  Mark *End = nullptr; ///< of a put that has read its source, of a get that has delivered its result; or null
  void *Word = nullptr; ///< of this process's own memory, that it fetches while other threads may write it
  uint32_t KeyCount = 0;
  uint32_t Keys[MaxSge]; ///< of the local side; so many
  Outstanding(const Request &R, bool IsTold, const Stack &PostedAt);
};

/// Tasks and order of the requests of one queue pair, or of one receive queue.
struct Tasks {
  explicit Tasks(uint32_t Receives); ///< that may be posted at a time
  ~Tasks();
  Tasks(const Tasks &) = delete;
  Tasks &operator=(const Tasks &) = delete;

  /// The program has the completion of the request, or a later one.
  void retire(const Outstanding &O);
  /// The program knows that nothing of it is under way any more.
  void acquireAll();
  /// The queue pair is reset: what it sends from now on is counted anew. Some of what it has sent may not
  /// have been taken.
  void forgetMessages();

  /// What a task comes behind: how many sub-events of each kind, fences that held results back, and calls
  /// that post.
  enum { FencesHeld = NumEventKinds, CallsMade, NumKnown };
  /// Of the sub-events of a kind.
  struct Task {
    void *Fiber = nullptr;         ///< of ThreadSanitizer
    Mark Own, *Done = &Own;        ///< the mark of the last one
    bool IsMarked = true;          ///< false: that one is marked when somebody asks
    uint32_t Count = 0;            ///< how many there were
    uint32_t Knows[NumKnown] = {}; ///< what it comes behind
    const Stack *Under = nullptr;  ///< the calls that the fiber stands in
  };
  Task OfKind[NumEventKinds];
  unsigned Number; ///< among all that there were
  void *Holding = nullptr;
  Mark HeldBack;                   ///< of the results that a fence has waited for
  uint32_t Calls = 0;              ///< that post, how many there were
  bool IsAlone = false;            ///< in the last of them: the program had one thread
  const Stack *PostedAt = nullptr; ///< the last of them
  uint32_t FencesHolding = 0;      ///< how many fences there were
  Mark Remote;                     ///< of all accesses to a peer's memory
  Mark Messages[64];               ///< of the last ones: who receives one comes behind the puts before it
  uint32_t MessageCount = 0;       ///< how many there were
  bool HasForgotten = false;       ///< some before those
  const void *Sender = nullptr;    ///< the queue pair, once it has sent any
  Marks Ends;                      ///< of puts,
  Marks Deliveries;                ///< of gets and atomics,
  std::vector<Mark> Receives;      ///< and of receives, in turn
  /// Those of the last ones whose completion the program has, or of a later one.
  Mark *LastEnd = nullptr, *LastDelivery = nullptr;
  uint32_t Told = 0, KnownToAll = 0; ///< requests; and how many when the program came behind all of them
  uint32_t Target = 0;               ///< the process whose memory it uses, when that is another one
  std::vector<Outstanding> Open;     ///< those from Oldest on; a queue that takes no memory for each
  size_t Oldest = 0;
  std::span<const Outstanding> open() const { return std::span(Open).subspan(Oldest); }
};

/// What no other access can see half of is atomic to the processors: who waits for such a write by atomic
/// loads is ordered behind it.
bool isWord(uint64_t Address, uint64_t Length);

/// A request is accepted.
void posted(QueuePair &Qp, const Request &R);
/// The program has taken the completion of the request at this position.
void taken(QueuePair &Qp, uint32_t Position);
/// The queue pair carries nothing out any more. Leaving: it is being destroyed.
void stopped(QueuePair &Qp, bool Leaving);

/// A receive is posted, the one of this position; and its completion taken.
void receivePosted(Tasks &Of, uint32_t Position, const ibv_recv_wr &Wr);
void receiveTaken(Tasks &Of, uint32_t Position);
/// The program has taken the completion of a receive, the one of this position, whose message came from
/// another queue pair of this node, or from itself.
void messageTaken(const QueuePair &By, uint32_t Position);

/// The current task of ThreadSanitizer comes behind everything that the device has told of so far. False, and
/// nothing done, when the device is telling now: the program calls from the handler of a signal.
bool acquireEveryTask();

/// A region goes away, or its key does.
void deregistered(QueuePair &Qp, uint32_t Key);
void reregistered(QueuePair &Qp, uint32_t Key);
/// The same by munmap(2), which is told by what rdma-run preloads in a run that is checked.
void unmapped(uint64_t Begin, uint64_t Size);

} // namespace check
} // namespace rdma::device
