// The operations of an endpoint: a work request each.
#include "rdma/objects/manager.h"

namespace rdma::objects {

namespace {

ibv_sge part(const void *At, std::size_t Size, std::uint32_t Lkey) {
  return {reinterpret_cast<std::uintptr_t>(At), static_cast<std::uint32_t>(Size), Lkey};
}

ibv_send_wr atomic(ibv_wr_opcode Opcode, const remote &To, word CompareAdd, word Swap, unsigned Flags) {
  ibv_send_wr Request = {};
  Request.opcode = Opcode;
  Request.send_flags = Flags;
  Request.wr.atomic.remote_addr = To.address;
  Request.wr.atomic.rkey = To.rkey;
  Request.wr.atomic.compare_add = CompareAdd;
  Request.wr.atomic.swap = Swap;
  return Request;
}

ibv_send_wr transfer(ibv_wr_opcode Opcode, const remote &At, unsigned Flags) {
  ibv_send_wr Request = {};
  Request.opcode = Opcode;
  Request.send_flags = Flags;
  Request.wr.rdma.remote_addr = At.address;
  Request.wr.rdma.rkey = At.rkey;
  return Request;
}

} // namespace

/// Operations with an ack are signaled, and of the others so many that the queue never fills with none in it.
/// No object survives a lost node, also one that lives on nodes that are there: a thread that never waits for
/// another node's would go on for ever.
[[gnu::always_inline]] inline status endpoint::post(node_id Node, ibv_send_wr &Request, const ibv_sge &Local,
                                                    ack *Done) {
  if (Manager.health() == status::peer_lost)
    return status::peer_lost;
  queue &Q = Queues[Node];
  if (Q.Posted - Q.Completed >= Depth || Q.Broken)
    if (status S = makeRoom(Q); S != status::ok)
      return S;
  std::uint64_t Sequence = ++Q.Posted;
  Request.wr_id = std::uint64_t(Node) << SequenceBits | (Sequence & SequenceMask);
  Request.sg_list = const_cast<ibv_sge *>(&Local);
  Request.num_sge = 1;
  if (Done || !(Sequence & SignaledMask))
    Request.send_flags |= IBV_SEND_SIGNALED;
  if (Done) {
    Done->Owner = this;
    Done->Open.store(Done->Open.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    Q.Log[Q.Last++ & LogMask] = {Sequence, Done};
  }
  ibv_send_wr *Bad;
  if (ibv_post_send(Q.Qp, &Request, &Bad) == 0)
    return status::ok;
  fail(Q);
  return status::peer_lost;
}

status endpoint::put(const remote &To, const void *From, std::size_t Size, ack *Done, unsigned Flags) {
  ibv_send_wr Request = transfer(IBV_WR_RDMA_WRITE, To, Flags);
  return post(To.node, Request, part(From, Size, Lkey), Done);
}

status endpoint::put_word(const remote &To, word Value, ack *Done, unsigned Flags) {
  return put(To, &Value, sizeof Value, Done, Flags | inlined);
}

status endpoint::get(void *Into, const remote &From, std::size_t Size, ack &Done, unsigned Flags) {
  ibv_send_wr Request = transfer(IBV_WR_RDMA_READ, From, Flags);
  return post(From.node, Request, part(Into, Size, Lkey), &Done);
}

status endpoint::fetch_add(word *Into, const remote &To, word By, ack &Done, unsigned Flags) {
  ibv_send_wr Request = atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, To, By, 0, Flags);
  return post(To.node, Request, part(Into, sizeof(word), Lkey), &Done);
}

status endpoint::compare_exchange(word *Into, const remote &To, word Expected, word Desired, ack &Done,
                                  unsigned Flags) {
  ibv_send_wr Request = atomic(IBV_WR_ATOMIC_CMP_AND_SWP, To, Expected, Desired, Flags);
  return post(To.node, Request, part(Into, sizeof(word), Lkey), &Done);
}

status endpoint::load(word &Value, const remote &From) {
  ack Done;
  if (status S = get(slot(0), From, sizeof(word), Done); S != status::ok)
    return S;
  status S = wait(Done);
  Value = objects::load(*slot(0));
  return S;
}

status endpoint::fetch_add(word &Old, const remote &To, word By) {
  ack Done;
  if (status S = fetch_add(slot(0), To, By, Done); S != status::ok)
    return S;
  status S = wait(Done);
  Old = objects::load(*slot(0));
  return S;
}

status endpoint::compare_exchange(word &Expected, const remote &To, word Desired, bool &Done) {
  ack Answered;
  if (status S = compare_exchange(slot(0), To, Expected, Desired, Answered); S != status::ok)
    return S;
  status S = wait(Answered);
  word Old = objects::load(*slot(0));
  Done = S == status::ok && Old == Expected;
  Expected = Old;
  return S;
}

} // namespace rdma::objects
