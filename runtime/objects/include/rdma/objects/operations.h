// The operations of an endpoint: a work request each. Inlined, since beside an operation of the emulated
// device, which takes less than 100 ns, a call counts. The completions are taken in Endpoint.cpp: a wait that
// is inlined behind its post is slower, by some 10 ns. A request is filled in where it is posted, by stores
// to a local, so that rdma-tidy sees what it is made of. Included by manager.h.
#pragma once

#include "rdma/objects/manager.h"

namespace rdma::objects {

/// Operations with an ack are signaled, and of the others so many that the queue never fills with none in it.
/// No object survives a lost node, also one that lives on nodes that are there: a thread that never waits for
/// another node's would go on for ever. Request: what is its opcode's own; the rest is filled in here.
[[gnu::always_inline]] inline status endpoint::post(const remote &At, ibv_send_wr &Request, const void *Local,
                                                    std::size_t Size, ack *Done, unsigned Flags) {
  if (Manager.health() == status::peer_lost) [[unlikely]]
    return status::peer_lost;
  queue &Q = Queues[At.node];
  if (Q.Posted >= Q.Limit) [[unlikely]]
    if (status S = makeRoom(Q); S != status::ok)
      return S;
  std::uint64_t Sequence = ++Q.Posted, Place = Q.Places | (Sequence & PlaceMask);
  Acks[Place] = Done;
  if (Done)
    Done->open(*this);
  if (Done || !(Sequence & SignaledMask))
    Flags |= IBV_SEND_SIGNALED;
  ibv_sge Part = {reinterpret_cast<std::uintptr_t>(Local), static_cast<std::uint32_t>(Size), Lkey};
  Request.wr_id = Place;
  Request.sg_list = &Part;
  Request.num_sge = 1;
  Request.send_flags = Flags;
  ibv_send_wr *Bad;
  if (ibv_post_send(Q.Qp, &Request, &Bad) == 0) [[likely]]
    return status::ok;
  return refused(Q, Size, Flags);
}

[[gnu::always_inline]] inline status endpoint::transfer(ibv_wr_opcode Opcode, const remote &At,
                                                        const void *Local, std::size_t Size, ack *Done,
                                                        unsigned Flags) {
  ibv_send_wr Request = {};
  Request.opcode = Opcode;
  Request.wr.rdma.remote_addr = At.address;
  Request.wr.rdma.rkey = At.rkey;
  return post(At, Request, Local, Size, Done, Flags);
}

[[gnu::always_inline]] inline status endpoint::atomic(ibv_wr_opcode Opcode, word *Into, const remote &At,
                                                      word CompareAdd, word Swap, ack &Done, unsigned Flags) {
  ibv_send_wr Request = {};
  Request.opcode = Opcode;
  Request.wr.atomic.remote_addr = At.address;
  Request.wr.atomic.rkey = At.rkey;
  Request.wr.atomic.compare_add = CompareAdd;
  Request.wr.atomic.swap = Swap;
  return post(At, Request, Into, sizeof(word), &Done, Flags);
}

inline status endpoint::put(const remote &To, const void *From, std::size_t Size, ack *Done, unsigned Flags) {
  return transfer(IBV_WR_RDMA_WRITE, To, From, Size, Done, Flags);
}

inline status endpoint::put_word(const remote &To, word Value, ack *Done, unsigned Flags) {
  return put(To, &Value, sizeof Value, Done, Flags | inlined);
}

inline status endpoint::get(void *Into, const remote &From, std::size_t Size, ack &Done, unsigned Flags) {
  return transfer(IBV_WR_RDMA_READ, From, Into, Size, &Done, Flags);
}

inline status endpoint::fetch_add(word *Into, const remote &To, word By, ack &Done, unsigned Flags) {
  return atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, Into, To, By, 0, Done, Flags);
}

inline status endpoint::compare_exchange(word *Into, const remote &To, word Expected, word Desired, ack &Done,
                                         unsigned Flags) {
  return atomic(IBV_WR_ATOMIC_CMP_AND_SWP, Into, To, Expected, Desired, Done, Flags);
}

} // namespace rdma::objects
