#include "runtime/device/Receive.h"

#include <algorithm>

namespace rdma::device {

Clock::duration rnrDelay(uint8_t Code) {
  // In hundredths of a millisecond.
  static constexpr uint32_t Table[32] = {
      65536, 1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,   192,
      256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return std::chrono::microseconds(10 * Table[Code & 31]);
}

int postReceives(uint32_t Index, ibv_recv_wr *List, ibv_recv_wr **Bad, uint32_t MaxSgeCount,
                 uint32_t MaxCount) {
  SharedSegment &Segment = Node::get().segment();
  SharedReceiveQueue &Q = Segment.ReceiveQueues[Index];
  auto *Ring = Segment.at<SharedReceive>(Q.Ring);
  std::lock_guard Guard(Q.Lock);
  for (ibv_recv_wr *Wr = List; Wr; Wr = Wr->next) {
    uint32_t Tail = Q.Tail;
    int Error = Wr->num_sge < 0 || static_cast<uint32_t>(Wr->num_sge) > MaxSgeCount ? EINVAL
                : Tail - Q.Head >= MaxCount                                         ? ENOMEM
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

bool takeReceive(Peer &Owner, uint32_t Index, SharedReceive &To) {
  SharedReceiveQueue &Q = Owner.segment().ReceiveQueues[Index];
  std::lock_guard Guard(Q.Lock);
  uint32_t Head = Q.Head;
  if (Head == Q.Tail)
    return false;
  To = Owner.segment().at<SharedReceive>(Q.Ring)[Head % Q.Capacity];
  Q.Head.store(Head + 1, std::memory_order_release);
  return true;
}

void flushReceives(Peer &Owner, SharedQueuePair &Qp) {
  if (Qp.UsesShared)
    return;
  for (SharedReceive R; takeReceive(Owner, Qp.ReceiveQueue, R);) {
    SharedCompletion C = {};
    C.Wc.wr_id = R.WrId;
    C.Wc.status = IBV_WC_WR_FLUSH_ERR;
    C.Wc.opcode = IBV_WC_RECV;
    C.Wc.qp_num = Qp.Number;
    C.Wc.vendor_err = IBV_WC_WR_FLUSH_ERR;
    putCompletion(Owner, Qp.ReceiveCompletions, C);
  }
}

} // namespace rdma::device
