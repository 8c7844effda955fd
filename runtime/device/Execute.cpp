// One request, carried out at once: the strong schedule.
#include "runtime/device/Binding.h"
#include "runtime/device/Copy.h"
#include "runtime/device/Datagram.h"
#include "runtime/device/Gather.h"
#include "runtime/device/Inbound.h"
#include "runtime/device/Presence.h"
#include "runtime/device/QueuePair.h"
#include "runtime/device/Receive.h"

namespace rdma::device {

namespace {

Result failed(ibv_wc_status Status) { return {Outcome::Failed, Status}; }

[[gnu::always_inline]] inline Result move(QueuePair &Qp, SharedQueuePair &Remote, const Request &R,
                                          bool Write) {
  uint32_t Right = Write ? IBV_ACCESS_REMOTE_WRITE : IBV_ACCESS_REMOTE_READ;
  if (!(Remote.Access & Right))
    return Qp.refuse(Remote, IBV_WC_REM_INV_REQ_ERR);
  LocalList Local;
  if (!openLocal(Qp, R, Write ? 0 : IBV_ACCESS_LOCAL_WRITE, Local))
    return failed(IBV_WC_LOC_PROT_ERR);
  if (!R.Length)
    return {}; // touches no memory, so needs no key
  Presence Here(*Qp.Target, Remote);
  uint32_t Domain = domainFor(*Qp.Target, Remote, queueFor(*Qp.Target, Remote, R));
  Bytes There = Qp.Target->findFor(Remote, R.Rkey, R.RemoteAddr, R.Length, Right, Domain);
  if (!There)
    return Qp.refuse(Remote, IBV_WC_REM_ACCESS_ERR);
  uint64_t Offset = 0;
  for (uint32_t I = 0; I < Local.Count; ++I) {
    const Chunk &Entry = Local.Entries[I];
    if (!(Write ? Qp.Target->write(There, Offset, Entry.Data, Entry.Length)
                : Qp.Target->read(Entry.Data, There, Offset, Entry.Length)))
      return failed(IBV_WC_RETRY_EXC_ERR);
    Offset += Entry.Length;
  }
  return {};
}

/// SEND, and WRITE with immediate data: takes a receive of the target.
///
/// An answer comes behind the completion of what it answers, as on a network, where the acknowledgement is
/// under way before anybody can answer. Programs rely on that.
Result announce(QueuePair &Qp, SharedQueuePair &Remote, const Request &R) {
  Presence::awaitCompletion(*Qp.Shared);
  Qp.Announcing.emplace(*Qp.Target, Remote);
  LocalList Local;
  if (!openLocal(Qp, R, 0, Local))
    return failed(IBV_WC_LOC_PROT_ERR);
  uint32_t Queue = queueFor(*Qp.Target, Remote, R);
  if (!hasReceive(*Qp.Target, Queue))
    return {Outcome::NoReceive};
  if (R.Opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
    if (Result Written = move(Qp, Remote, R, true); Written.What != Outcome::Done)
      return Written;
  TakenReceive To;
  if (!takeReceive(*Qp.Target, Remote, Queue, To))
    return {Outcome::NoReceive};
  if (R.Opcode == IBV_WR_SEND_WITH_INV && !binding::invalidate(Qp.Target->segment(), Remote, R.Imm))
      [[unlikely]]
    return completeReceive(*Qp.Target, Remote, announcementOf(Qp, R), To, IBV_WC_MW_BIND_ERR);
  return deliver(*Qp.Target, Remote, announcementOf(Qp, R),
                 std::span<const Chunk>(Local.Entries, Local.Count), To);
}

Result atomic(QueuePair &Qp, SharedQueuePair &Remote, const Request &R) {
  if (!(Remote.Access & IBV_ACCESS_REMOTE_ATOMIC) || R.RemoteAddr % 8)
    return Qp.refuse(Remote, IBV_WC_REM_INV_REQ_ERR);
  LocalList Local;
  if (!openLocal(Qp, R, IBV_ACCESS_LOCAL_WRITE, Local))
    return failed(IBV_WC_LOC_PROT_ERR);
  if (R.Length != 8 || Local.Count != 1)
    return failed(IBV_WC_LOC_LEN_ERR);
  Presence Here(*Qp.Target, Remote);
  uint32_t Domain = domainFor(*Qp.Target, Remote, queueFor(*Qp.Target, Remote, R));
  Bytes There = Qp.Target->findFor(Remote, R.Rkey, R.RemoteAddr, 8, IBV_ACCESS_REMOTE_ATOMIC, Domain);
  if (!There)
    return Qp.refuse(Remote, IBV_WC_REM_ACCESS_ERR);
  uint64_t Old;
  {
    SharedLock &Atomics = Qp.Target->segment().AtomicsLock;
    if (Atomics.lock() == Lock::TakenOver)
      inbound::replay(*Qp.Target);
    std::lock_guard Guard(Atomics, std::adopt_lock);
    if (!Qp.Target->read(&Old, There, 0, 8))
      return failed(IBV_WC_RETRY_EXC_ERR);
    bool IsSwap = R.Opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
    uint64_t New = IsSwap ? R.Swap : Old + R.CompareAdd;
    if ((!IsSwap || Old == R.CompareAdd) && !Qp.Target->write(There, 0, &New, 8))
      return failed(IBV_WC_RETRY_EXC_ERR);
  }
  copyWords(Local.Entries[0].Data, &Old, 8);
  return {};
}

Result executeConnected(QueuePair &Qp, const Request &R) {
  if (binding::isLocal(R.Opcode)) [[unlikely]]
    return binding::execute(Qp, R);
  SharedQueuePair *Remote = Qp.reach();
  if (!Remote)
    return Qp.unreachable();
  if (R.Length > MaxMessage)
    return failed(IBV_WC_LOC_LEN_ERR);
  if (!queueFor(*Qp.Target, *Remote, R) || !Qp.fitsPackets(*Remote, R)) [[unlikely]]
    return Qp.refuse(*Remote, IBV_WC_REM_INV_REQ_ERR);
  switch (R.Opcode) {
  case IBV_WR_RDMA_WRITE:
    return move(Qp, *Remote, R, true);
  case IBV_WR_RDMA_WRITE_WITH_IMM:
  case IBV_WR_SEND:
  case IBV_WR_SEND_WITH_IMM:
  case IBV_WR_SEND_WITH_INV:
    return announce(Qp, *Remote, R);
  case IBV_WR_RDMA_READ:
    return move(Qp, *Remote, R, false);
  case IBV_WR_ATOMIC_CMP_AND_SWP:
  case IBV_WR_ATOMIC_FETCH_AND_ADD:
    return atomic(Qp, *Remote, R);
  default:
    return failed(IBV_WC_LOC_QP_OP_ERR);
  }
}

bool isLocal(ibv_wc_status Status) {
  return Status == IBV_WC_LOC_PROT_ERR || Status == IBV_WC_LOC_LEN_ERR || Status == IBV_WC_LOC_QP_OP_ERR ||
         Status == IBV_WC_MW_BIND_ERR;
}

} // namespace

Result execute(QueuePair &Qp, const Request &R) {
  if (Qp.isReliable()) [[likely]]
    return executeConnected(Qp, R);
  Result Sent = Qp.isDatagram() ? sendDatagram(Qp, R) : executeConnected(Qp, R);
  // It has left. What becomes of it then is not known here.
  return Sent.What == Outcome::Failed && isLocal(Sent.Status) ? Sent : Result{};
}

} // namespace rdma::device
