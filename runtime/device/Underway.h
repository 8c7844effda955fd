// Races between a process and the WRITEs that others make to its memory, for rdma-run --check.
//
// Each process has its own clock (that of its ThreadSanitizer), and what reaches it by sockets, pipes or
// shared memory is seen by nobody. What is certain without any clock is what overlaps in time: a WRITE is
// under way from its post, and nobody can know that it has landed as long as
//
//   - its poster has posted nothing behind it on its queue pair (a READ that pushes it, a flag, a message),
//   - and nobody has posted a READ or an atomic that could see it.
//
// The completion of the WRITE says nothing of that. So the poster notes in the target's queue pair the WRITE
// that it posted last (posted), and takes the note back before anything else. The target's program looks at
// the notes whenever it calls the device or, with what rdma-run preloads, the kernel (passed). What the
// program has touched between two looks that saw the same note, it has touched while the WRITE was under way:
// the WRITE is then told to ThreadSanitizer as the access of a task that knows what came before the first
// look and nothing later. After that the program is taken to know of it. All processes of the fabric have to
// be checked.
//
// A fetch-and-add reads, and then writes the sum: what the target's processor writes in between is undone,
// also by atomic operations. So the first of each place are noted, too, and held for a while before they are
// carried out: as long as the note stands nobody can know of the sum.
//
// No false report: what came before the first look is ordered before the WRITE, whoever knows whether it
// was; what comes after the second look, behind it. Left out are
//
//   - words (up to 8 bytes, aligned): programs wait for them, with plain loads too,
//   - what the program touches by atomic operations: it knows that the bytes may change, and checks them,
//   - what the device itself does to them for other requests,
//   - programs of more than one thread: what the others have touched before the WRITE cannot be told apart,
//   - the ordered schedule, where more is known of what was acknowledged.
#pragma once

#include "runtime/device/Callers.h"
#include "runtime/device/Peer.h"

namespace rdma::device {

struct QueuePair;
struct Request;

namespace check {

/// A request is about to be carried out, with this queue pair; these bytes of its target, found when the key
/// leads to any.
void postedTo(QueuePair &Qp, const Request &R, SharedQueuePair &Remote, const Bytes &There, const Stack &At);

/// Before it is carried out a fetch-and-add is held for some milliseconds, so that the target's program may
/// be seen to write what it adds to.
void holdSum(QueuePair &Qp, const Request &R, SharedQueuePair &Remote, const Bytes &There, const Stack &At);

/// The peer of the queue pair knows something else by now.
void forgetUnderway(SharedQueuePair &There);

/// Whether the program surely has had no thread, and no task of ThreadSanitizer, but this one.
bool hasOneThread();

/// The program calls: which of the calls is said so that those repeated in a loop cost little.
void passed(int Call);
inline constexpr int PollCall = -1, PostCall = -2;

} // namespace check
} // namespace rdma::device
