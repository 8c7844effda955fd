// Receive queues: posting, taking, flushing; and what a SEND or an immediate does with one.
#pragma once

#include "runtime/device/QueuePair.h"
#include "runtime/device/Taken.h"

#include <span>

namespace rdma::device {

/// The delay that a value of min_rnr_timer stands for (IBTA table 45).
Clock::duration rnrDelay(uint8_t Code);

/// Room for Count receives in the node; false when there is none.
bool createReceiveQueue(Node &N, uint32_t &Index, uint32_t Count);
void destroyReceiveQueue(Node &N, uint32_t Index);

/// The receives of a queue whose room is free again: how many, and where the count began.
struct Finished {
  const std::atomic<uint32_t> &Count;
  uint32_t Begin;
  uint32_t end() const { return Begin + Count.load(std::memory_order_acquire); }
};

/// Posts a list to a receive queue of the node. A receive keeps its room until the program has taken its
/// completion; of a shared queue, which has no such count, until a message takes it.
int postReceives(Node &N, uint32_t Queue, ibv_recv_wr *List, ibv_recv_wr **Bad, uint32_t MaxSgeCount,
                 uint32_t MaxCount, Finished Before);

/// The receive queue that a request means which comes to this queue pair: of XRC the one that it names, 0:
/// there is none of that number.
inline uint32_t queueFor(Peer &Owner, const SharedQueuePair &Qp, const Request &R) {
  if (!Qp.XrcDomain) [[likely]]
    return Qp.ReceiveQueue;
  uint32_t Named = R.RemoteNumber;
  return Named < MaxReceiveQueues && Owner.segment().ReceiveQueues[Named].XrcDomain == Qp.XrcDomain ? Named
                                                                                                    : 0;
}
/// The protection domain of the memory that it may use, and where the receive completes that it takes.
inline uint32_t domainFor(Peer &Owner, const SharedQueuePair &Qp, uint32_t Queue) {
  return Qp.XrcDomain ? Owner.segment().ReceiveQueues[Queue].Domain : Qp.Domain;
}
inline uint32_t completionsFor(Peer &Owner, const SharedQueuePair &Qp, uint32_t Queue) {
  return Qp.XrcDomain ? Owner.segment().ReceiveQueues[Queue].Completions : Qp.ReceiveCompletions;
}

/// The protection domain of the memory that the receives of this queue lie in.
inline uint32_t receiveDomain(Peer &Owner, const SharedQueuePair &Qp, uint32_t Queue) {
  return Qp.UsesShared ? Owner.segment().ReceiveQueues[Queue].Domain : Qp.Domain;
}

bool hasReceive(Peer &Owner, uint32_t Queue);
/// The oldest posted receive, for a message to this queue pair; false when there is none. A slot is free.
bool takeReceive(Peer &Owner, SharedQueuePair &Qp, uint32_t Queue, TakenReceive &To);
/// Completes a receive that no message will come for.
void flushReceive(Peer &Owner, SharedQueuePair &Qp, uint64_t WrId, SharedTaken *Slot);

/// A piece of a message in this process.
struct Chunk {
  char *Data;
  uint64_t Length;
};

/// Whether a message fits into a receive: success, or what the receive completes with.
ibv_wc_status receivable(Peer &Target, SharedQueuePair &Qp, const Request &R, const TakenReceive &To);

/// What a receive tells of the request that it belongs to.
struct Announcement {
  ibv_wr_opcode Opcode;
  unsigned Flags;
  uint32_t Imm;
  uint64_t Length;
  uint32_t FromNumber, FromLid;
};
inline Announcement announcementOf(const QueuePair &Qp, const Request &R) {
  return {R.Opcode, R.Flags, R.Imm, R.Length, Qp.number(), Qp.Home.lid()};
}

/// Completes a receive on the target's side; what that means for the sender.
Result completeReceive(Peer &Target, SharedQueuePair &Remote, const Announcement &A, const TakenReceive &To,
                       ibv_wc_status Status);

/// Puts a message into a posted receive and completes it on the target's side: a SEND with its data, a WRITE
/// with immediate data only announces itself.
Result deliver(Peer &Target, SharedQueuePair &Remote, const Announcement &A, std::span<const Chunk> Message,
               const TakenReceive &To);

} // namespace rdma::device
