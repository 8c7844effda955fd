// The operations of an endpoint: a work request each, and its completion. Inlined, since beside an operation
// of the emulated device, which takes less than 100 ns, a call counts. Included by manager.h.
#pragma once

#include "rdma/objects/manager.h"

#include <algorithm>

namespace rdma::objects {

/// Operations with an ack are signaled, and of the others so many that the queue never fills with none in it.
/// No object survives a lost node, also one that lives on nodes that are there: a thread that never waits for
/// another node's would go on for ever.
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
  Part.addr = reinterpret_cast<std::uintptr_t>(Local);
  Part.length = static_cast<std::uint32_t>(Size);
  Request.wr_id = Place;
  Request.send_flags = Flags;
  ibv_send_wr *Bad;
  if (ibv_post_send(Q.Qp, &Request, &Bad) == 0) [[likely]]
    return status::ok;
  fail(Q);
  return status::peer_lost;
}

[[gnu::always_inline]] inline status endpoint::transfer(ibv_wr_opcode Opcode, const remote &At,
                                                        const void *Local, std::size_t Size, ack *Done,
                                                        unsigned Flags) {
  Transfer.opcode = Opcode;
  Transfer.wr.rdma.remote_addr = At.address;
  Transfer.wr.rdma.rkey = At.rkey;
  return post(At, Transfer, Local, Size, Done, Flags);
}

[[gnu::always_inline]] inline status endpoint::atomic(ibv_wr_opcode Opcode, word *Into, const remote &At,
                                                      word CompareAdd, word Swap, ack &Done, unsigned Flags) {
  Atomic.opcode = Opcode;
  Atomic.wr.atomic.remote_addr = At.address;
  Atomic.wr.atomic.rkey = At.rkey;
  Atomic.wr.atomic.compare_add = CompareAdd;
  Atomic.wr.atomic.swap = Swap;
  return post(At, Atomic, Into, sizeof(word), &Done, Flags);
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

/// The completion of an operation with an ack is its own: those before it had theirs.
inline void endpoint::handle(const ibv_wc &Completion) {
  queue &Q = Queues[Completion.wr_id >> PlaceBits];
  if (Q.broken()) [[unlikely]]
    return;
  if (Completion.status != IBV_WC_SUCCESS) [[unlikely]]
    return fail(Q);
  Q.Limit = Q.Posted - ((Q.Posted - Completion.wr_id) & PlaceMask) + Depth;
  if (ack *A = Acks[Completion.wr_id])
    A->close();
}

/// Those that are there, at most so many. Says how many there were.
inline int endpoint::takeCompletions(unsigned Most) {
  ibv_wc Completions[MostAtOnce];
  int Count = ibv_poll_cq(Cq, static_cast<int>(std::min(Most, MostAtOnce)), Completions);
  for (int I = 0; I < Count; ++I)
    handle(Completions[I]);
  return Count;
}

/// Asks for as many as are missing: most often the device has them all, and looks for no more.
inline status endpoint::wait(ack &Ack) {
  for (unsigned Empty = 0, Open; (Open = Ack.open());)
    if (takeCompletions(Open) <= 0)
      restNowAndThen(++Empty);
  return Ack.result();
}

} // namespace rdma::objects
