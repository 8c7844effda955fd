// Receive queues: posting, taking, flushing; and what a SEND or an immediate does with one.
#pragma once

#include "runtime/device/QueuePair.h"

namespace rdma::device {

/// The delay that a value of min_rnr_timer stands for (IBTA table 45).
Clock::duration rnrDelay(uint8_t Code);

/// Posts a list to a receive queue of this node.
int postReceives(uint32_t Queue, ibv_recv_wr *List, ibv_recv_wr **Bad, uint32_t MaxSgeCount,
                 uint32_t MaxCount);

/// The oldest posted receive; false when there is none.
bool takeReceive(Peer &Owner, uint32_t Queue, SharedReceive &To);

} // namespace rdma::device
