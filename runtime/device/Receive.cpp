#include "runtime/device/Receive.h"
#include "runtime/device/Gid.h"
#include "runtime/device/Presence.h"

#include <algorithm>
#include <bit>

namespace rdma::device {

Clock::duration rnrDelay(uint8_t Code) {
  // In hundredths of a millisecond.
  static constexpr uint32_t Table[32] = {
      65536, 1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,   192,
      256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return std::chrono::microseconds(10 * Table[Code & 31]);
}

bool createReceiveQueue(Node &N, uint32_t &Index, uint32_t Count) {
  Index = N.Receives.take();
  if (Index == IndexPool::Full)
    return false;
  SharedReceiveQueue &R = N.segment().ReceiveQueues[Index];
  R.Head = R.Tail = 0;
  R.Limit = 0;
  R.Events = {};
  R.XrcDomain = 0;
  R.Capacity = std::bit_ceil(std::max<uint32_t>(Count, 1));
  R.Ring = N.allocate(R.Capacity * sizeof(SharedReceive));
  if (!R.Ring)
    N.Receives.giveBack(Index);
  return R.Ring != 0;
}

void destroyReceiveQueue(Node &N, uint32_t Index) {
  SharedReceiveQueue &R = N.segment().ReceiveQueues[Index];
  {
    QueueGuard Guard(N.segment(), R);
    R.XrcDomain = 0; // peers that name it find nothing any more
  }
  N.release(R.Ring, R.Capacity * sizeof(SharedReceive));
  N.Receives.giveBack(Index);
}

int postReceives(Node &N, uint32_t Index, ibv_recv_wr *List, ibv_recv_wr **Bad, uint32_t MaxSgeCount,
                 uint32_t MaxCount, Finished Before) {
  SharedSegment &Segment = N.segment();
  SharedReceiveQueue &Q = Segment.ReceiveQueues[Index];
  auto *Ring = Segment.at<SharedReceive>(Q.Ring);
  std::lock_guard Guard(Q.Posting);
  for (ibv_recv_wr *Wr = List; Wr; Wr = Wr->next) {
    uint32_t Tail = Q.Tail;
    int Error = Wr->num_sge < 0 || static_cast<uint32_t>(Wr->num_sge) > MaxSgeCount ? EINVAL
                : Tail - Before.end() >= MaxCount                                   ? ENOMEM
                                                                                    : 0;
    if (Error) {
      *Bad = Wr;
      return Error;
    }
    SharedReceive &R = Ring[Tail % Q.Capacity];
    R.WrId = Wr->wr_id;
    R.SgeCount = static_cast<uint32_t>(Wr->num_sge);
    std::copy_n(Wr->sg_list, Wr->num_sge, R.Sges);
    Q.Tail.store(Tail + 1, std::memory_order_release);
  }
  return 0;
}

bool hasReceive(Peer &Owner, uint32_t Index) {
  SharedReceiveQueue &Q = Owner.segment().ReceiveQueues[Index];
  return Q.Head.load() != Q.Tail.load();
}

bool takeReceive(Peer &Owner, SharedQueuePair &Qp, uint32_t Queue, TakenReceive &To) {
  SharedSegment &Segment = Owner.segment();
  SharedReceiveQueue &Q = Segment.ReceiveQueues[Queue];
  bool FewLeft = false;
  {
    QueueGuard Guard(Segment, Q);
    To.Slot = freeSlot(Qp);
    uint32_t Head = Q.Head;
    if (Head == Q.Tail || !To.Slot || Q.XrcDomain != Qp.XrcDomain)
      return false;
    const SharedReceive &Oldest = Segment.at<SharedReceive>(Q.Ring)[Head % Q.Capacity];
    To.WrId = Oldest.WrId;
    To.SgeCount = Oldest.SgeCount;
    std::copy_n(Oldest.Sges, Oldest.SgeCount, To.Sges);
    if (Qp.Type == IBV_QPT_UD)
      Qp.Begun = To;
    Q.Taking.store(Segment.offsetOf(To.Slot), std::memory_order_release);
    To.Slot->WrId = To.WrId;
    To.Slot->Queue = Queue;
    To.Slot->Position.store(takenAt(Head + 1), std::memory_order_release);
    Q.Head.store(Head + 1, std::memory_order_release);
    Q.Taking.store(0, std::memory_order_release);
    FewLeft = Q.Events.Source && Q.Tail - (Head + 1) < Q.Limit;
    if (FewLeft)
      Q.Limit = 0; // one event each time it is set
  }
  if (FewLeft)
    putAsyncEvent(Owner, IBV_EVENT_SRQ_LIMIT_REACHED, Q.Events);
  return true;
}

namespace {

/// Spreads the message over the scatter list of the receive; chunks without data only see whether they fit.
ibv_wc_status scatter(Peer &Target, SharedQueuePair &Qp, std::span<const Chunk> Message,
                      const TakenReceive &To) {
  Presence Here(Target, Qp);
  uint32_t Domain = receiveDomain(Target, Qp, To.Slot->Queue);
  uint32_t Entry = 0;
  uint64_t Used = 0; // of the entry
  for (const Chunk &C : Message)
    for (uint64_t Done = 0; Done < C.Length;) {
      while (Entry < To.SgeCount && Used == To.Sges[Entry].length)
        ++Entry, Used = 0;
      if (Entry == To.SgeCount)
        return IBV_WC_LOC_LEN_ERR;
      const ibv_sge &S = To.Sges[Entry];
      uint64_t Part = std::min(C.Length - Done, S.length - Used);
      Bytes There = Target.find(S.lkey, S.addr + Used, Part, IBV_ACCESS_LOCAL_WRITE, Domain);
      if (!There || (C.Data && !Target.write(There, 0, C.Data + Done, Part)))
        return IBV_WC_LOC_PROT_ERR;
      Done += Part;
      Used += Part;
    }
  return IBV_WC_SUCCESS;
}

} // namespace

ibv_wc_status receivable(Peer &Target, SharedQueuePair &Qp, const Request &R, const TakenReceive &To) {
  Chunk All = {nullptr, R.Length};
  return isSend(R.Opcode) ? scatter(Target, Qp, std::span(&All, 1), To) : IBV_WC_SUCCESS;
}

Result deliver(Peer &Target, SharedQueuePair &Remote, const Announcement &A, std::span<const Chunk> Message,
               const TakenReceive &To) {
  ibv_wc_status Status = isSend(A.Opcode) ? scatter(Target, Remote, Message, To) : IBV_WC_SUCCESS;
  return completeReceive(Target, Remote, A, To, Status);
}

Result completeReceive(Peer &Target, SharedQueuePair &Remote, const Announcement &A, const TakenReceive &To,
                       ibv_wc_status Status) {
  SharedCompletion C = {};
  C.Wc.wr_id = To.WrId;
  C.Wc.status = Status;
  C.Wc.vendor_err = Status == IBV_WC_SUCCESS ? 0 : static_cast<uint32_t>(Status);
  C.Wc.opcode = isSend(A.Opcode) ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM;
  C.Wc.byte_len = static_cast<uint32_t>(A.Length);
  C.Wc.qp_num = Remote.Number;
  C.Wc.src_qp = A.FromNumber;
  C.Wc.slid = shownLid(A.FromLid);
  if (A.Opcode == IBV_WR_SEND_WITH_IMM || A.Opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
    C.Wc.imm_data = A.Imm;
    C.Wc.wc_flags = IBV_WC_WITH_IMM;
  } else if (A.Opcode == IBV_WR_SEND_WITH_INV) {
    C.Wc.invalidated_rkey = A.Imm;
    C.Wc.wc_flags = IBV_WC_WITH_INV;
  }
  C.Solicited = A.Flags & IBV_SEND_SOLICITED;
  C.Retired = static_cast<uint32_t>(To.Slot->Position.load(std::memory_order_relaxed));
  uint32_t Queue = To.Slot->Queue;
  C.Queue = static_cast<uint16_t>(Remote.XrcDomain ? Queue : 0);
  bool Told = putCompletion(Target, completionsFor(Target, Remote, Queue), C, To.Slot);
  if (Told && Status == IBV_WC_SUCCESS)
    return {};
  failRemote(Target, Remote, IBV_EVENT_QP_FATAL);
  return {Outcome::Failed, Status == IBV_WC_LOC_LEN_ERR   ? IBV_WC_REM_INV_REQ_ERR
                           : Status == IBV_WC_MW_BIND_ERR ? IBV_WC_REM_ACCESS_ERR
                                                          : IBV_WC_REM_OP_ERR};
}

void flushReceive(Peer &Owner, SharedQueuePair &Qp, uint64_t WrId, SharedTaken *Slot) {
  SharedCompletion C = {};
  C.Wc.wr_id = WrId;
  C.Wc.status = IBV_WC_WR_FLUSH_ERR;
  C.Wc.opcode = IBV_WC_RECV;
  C.Wc.qp_num = Qp.Number;
  C.Wc.vendor_err = IBV_WC_WR_FLUSH_ERR;
  putCompletion(Owner, completionsFor(Owner, Qp, Slot->Queue), C, Slot);
}

void flushReceives(Peer &Owner, SharedQueuePair &Qp) {
  if (Qp.Type == IBV_QPT_UD) {
    Delivery Order(Owner, Qp);
    for (TakenReceive R; Qp.UsesShared ? Order.takeBegun(R) : Order.take(R);) {
      flushReceive(Owner, Qp, R.WrId, R.Slot);
      R.Slot->Position = 0; // also where its completion found no room
    }
    return;
  }
  if (Qp.UsesShared)
    return;
  for (TakenReceive R; takeReceive(Owner, Qp, Qp.ReceiveQueue, R);)
    flushReceive(Owner, Qp, R.WrId, R.Slot);
}

} // namespace rdma::device
