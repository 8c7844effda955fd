// Datagrams: what a queue pair of type UD sends.
//
// A datagram goes to the queue pair that its request names, through an address handle. It is dropped, without
// a word to the sender, when there is no such queue pair, its key is another one, or no receive is posted
// there. The receive's first 40 bytes belong to the global routing header.
//
// The weak schedules do not reorder or lose datagrams: the papers' model has none.
#pragma once

#include "runtime/device/QueuePair.h"

namespace rdma::device {

inline constexpr uint64_t MaxDatagram = 4096;

/// The caller holds the lock of the queue pair.
Result sendDatagram(QueuePair &Qp, const Request &R);
/// Nobody is at work on this queue pair any more when this returns; not waited for: who was killed in the
/// middle.
void awaitPosters(SharedQueuePair &There);

} // namespace rdma::device
