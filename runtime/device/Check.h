// rdma-run --check: what a run shows of races between the program's threads and the NIC, and of requests that
// outlive what they use.
//
// Races are found by ThreadSanitizer, which the program is built with. Each request is told to it as accesses
// of tasks of their own: one reads the sources of a queue pair's requests (nlR), one writes their results
// (nlW). They are ordered against the program, and against each other, by the guaranteed-before rules alone:
// a post comes before what it posts; sources are read in order, results delivered in order, and a result
// after earlier sources; a fence puts earlier results before later sources; a completion that is taken comes
// after its request and all before it. So a race is found under every schedule, also when nothing went wrong.
// What requests do to the memory of their target is not told.
//
// What is said of lifetimes needs no ThreadSanitizer.
#pragma once

#include "runtime/device/Shared.h"

#include <deque>
#include <vector>

namespace rdma::device {

struct QueuePair;
struct CompletionQueue;
struct Request;

namespace check {

/// The option was given.
extern const bool Enabled;

/// Where a request was posted: return addresses, innermost first, without those of the device.
using Stack = std::vector<void *>;
Stack callers();

/// A request whose completion the program has not taken.
struct Outstanding {
  uint32_t Position;
  ibv_wr_opcode Opcode;
  bool Signaled;
  std::vector<uint32_t> Keys; ///< of the local side
  Stack PostedAt;
};

/// Tasks and order of the requests of one queue pair, or of one receive queue.
struct Tasks {
  void *Reads = nullptr, *Writes = nullptr, *Done = nullptr; ///< fibers of ThreadSanitizer
  char ReadsOrder, WritesOrder; ///< their addresses stand for what they have done
  std::vector<char> Tags;       ///< the same for each request's end, by position
  std::deque<Outstanding> Open;

  Tasks() : Tags(1 << 16) {}
  ~Tasks();
  Tasks(const Tasks &) = delete;
  Tasks &operator=(const Tasks &) = delete;
};

/// A request is accepted.
void posted(QueuePair &Qp, const Request &R);
/// The program has taken the completion of the request at this position.
void taken(QueuePair &Qp, uint32_t Position);
/// The queue pair carries nothing out any more. Leaving: it is being destroyed.
void stopped(QueuePair &Qp, bool Leaving);

/// A receive is posted, the one of this position; and its completion taken.
void receivePosted(Tasks &Of, uint32_t Position, const ibv_recv_wr &Wr);
void receiveTaken(Tasks &Of, uint32_t Position);

/// A region goes away.
void deregistered(QueuePair &Qp, uint32_t Key);
/// A completion queue goes away with so many completions that nobody took.
void left(uint32_t Completions);

} // namespace check
} // namespace rdma::device
