// Writes that were acknowledged to their senders and have not reached the memory of their target yet.
//
// What is acknowledged arrives: a NIC has it by then, and does not ask whether the sender still runs. So from
// its acknowledgement on, a write that the weak schedules hold back stands in the segment of the target. Its
// sender makes it arrive when its turn comes; when the sender is gone, the target does (or whoever takes a
// lock over that the sender held).
//
// The order of the entries is the order of acknowledgement. The ordered schedule keeps it: everybody who is
// about to touch the target's memory first lets arrive what is here.
#pragma once

#include "runtime/device/Receive.h"

namespace rdma::device::inbound {

/// A write with its bytes is acknowledged; its ticket, 0 when there is no room.
uint64_t append(Peer &Target, const SharedArrival &A, Chunk Bytes);

/// The turn of this one has come, and of all before it when they arrive in order.
void arrive(Peer &Target, uint64_t Ticket, bool InOrder);

/// All arrive, in order.
void arriveAll(Peer &Target);

/// Those arrive whose sender is gone. Gone: a node that left just now; its process may still be on its way
/// out.
void replay(Peer &Target, Peer *Gone = nullptr);

} // namespace rdma::device::inbound
