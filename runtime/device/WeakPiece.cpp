#include "runtime/device/WeakPiece.h"

#include "runtime/device/Binding.h"
#include "runtime/device/Choices.h"
#include "runtime/device/Copy.h"
#include "runtime/device/Inbound.h"

#include <algorithm>
#include <span>

namespace rdma::device {

namespace {

constexpr uint64_t MaxParts = 4;

bool announces(const Request &R) { return isSend(R.Opcode) || R.Opcode == IBV_WR_RDMA_WRITE_WITH_IMM; }

/// Cuts bytes [Begin, End) of a request, remote units (cache lines, or words) whole.
void cut(std::vector<Piece> &Pieces, const std::shared_ptr<Request> &R, uint64_t Begin, uint64_t End,
         uint64_t Unit) {
  uint64_t Part = std::max<uint64_t>(Unit, (End - Begin) / MaxParts);
  while (Begin < End) {
    uint64_t Next = (R->RemoteAddr + Begin + Part) / Unit * Unit - R->RemoteAddr;
    Next = Next <= Begin ? End : std::min(Next, End);
    Pieces.push_back({R, Begin, Next - Begin, false, {}, {}, {}, 0, 0});
    Begin = Next;
  }
}

/// What everybody who is about to touch the target's memory does first under the ordered schedule.
void enterInOrder(Peer &Target) {
  if (Settings::get().Ordered)
    inbound::arriveAll(Target);
}

} // namespace

std::vector<Piece> piecesOf(const std::shared_ptr<Request> &R, bool Split) {
  std::vector<Piece> Pieces;
  bool Whole = isSend(R->Opcode) || isAtomic(R->Opcode) || !R->Length || !R->Inline.empty();
  if (Whole)
    Pieces.push_back({R, 0, R->Length, false, {}, {}, {}, 0, 0});
  uint64_t Begin = 0;
  for (uint32_t I = 0; !Whole && I < R->SgeCount; ++I) {
    uint64_t End = Begin + R->Sges[I].length;
    if (Split && End - Begin > CacheLine)
      cut(Pieces, R, Begin, End, CacheLine);
    else if (End > Begin)
      Pieces.push_back({R, Begin, End - Begin, false, {}, {}, {}, 0, 0});
    Begin = End;
  }
  for (Piece &P : Pieces)
    P.Last = &P == &Pieces.back();
  return Pieces;
}

std::vector<Piece> tornPiecesOf(const std::shared_ptr<Request> &R, uint64_t Unit, uint64_t Chosen) {
  std::vector<Piece> Pieces;
  uint64_t Begin = 0;
  // What is inline is one range, whatever list it was gathered from.
  for (uint32_t I = 0; Begin < R->Length; ++I) {
    uint64_t End = R->Inline.empty() ? Begin + R->Sges[I].length : R->Length;
    cut(Pieces, R, Begin, End, Unit);
    Begin = End;
  }
  for (size_t Left = Pieces.size(); Left > 1; --Left)
    std::swap(Pieces[Left - 1], Pieces[scatterBits({Chosen, Left}) % Left]);
  for (Piece &P : Pieces)
    P.Last = &P == &Pieces.back();
  return Pieces;
}

/// Copies between P.Bytes and the part of the scatter-gather list that P covers.
bool WeakMemory::copyLocal(const Piece &P, bool ToBytes, uint32_t Access) {
  const Request &R = *P.Of;
  uint64_t Start = 0;
  for (uint32_t I = 0; I < R.SgeCount; Start += R.Sges[I++].length) {
    const ibv_sge &S = R.Sges[I];
    uint64_t From = std::max(P.Begin, Start), To = std::min(P.Begin + P.Length, Start + S.length);
    if (From >= To)
      continue;
    auto Use = Qp.Home.own().find(S.lkey, S.addr + (From - Start), To - From, Access, Qp.Domain);
    if (!Use)
      return false;
    char *Bytes = P.Bytes ? P.Bytes->data() + (From - P.Begin) : nullptr;
    if (Bytes && ToBytes)
      copyWords(Bytes, Use.Mapped, To - From);
    else if (Bytes)
      copyWords(Use.Mapped, Bytes, To - From);
  }
  return true;
}

Result WeakMemory::admitLocal(const Piece &P) {
  if (P.Of->Length > MaxMessage)
    return {Outcome::Failed, IBV_WC_LOC_LEN_ERR};
  Piece Probe = P;
  Probe.Bytes = nullptr;
  uint32_t Access = isPut(P.Of->Opcode) ? 0 : IBV_ACCESS_LOCAL_WRITE;
  return copyLocal(Probe, false, Access) ? Result{} : Result{Outcome::Failed, IBV_WC_LOC_PROT_ERR};
}

/// Whether the target has nothing older to answer: it refuses requests in their order.
bool WeakMemory::isNext(const Piece &P) const {
  for (const auto &E : Qp.Weak->Pipe) {
    if (&E.Data == &P)
      break;
    if (E.Kind == nic::EntryKind::Get || E.Kind == nic::EntryKind::Atomic)
      return false;
  }
  return true;
}

Result WeakMemory::admitRemote(Piece &P, uint32_t Right) {
  SharedQueuePair *Remote = Qp.reach();
  if (!Remote)
    return Qp.unreachable();
  ibv_wc_status Refusal = IBV_WC_SUCCESS;
  bool IsAtomic = Right == IBV_ACCESS_REMOTE_ATOMIC;
  uint32_t Queue = queueFor(*Qp.Target, *Remote, *P.Of);
  if (!Queue || !Qp.fitsPackets(*Remote, *P.Of) || !(Remote->Access & Right) ||
      (IsAtomic && P.Of->RemoteAddr % 8)) {
    Refusal = IBV_WC_REM_INV_REQ_ERR;
  } else if (P.Length && !P.There) {
    RegionUse Use = Qp.Target->useFor(*Remote, P.Of->Rkey, P.Of->RemoteAddr + P.Begin, P.Length, Right,
                                      domainFor(*Qp.Target, *Remote, Queue));
    if (Use)
      P.There = std::make_shared<RegionUse>(std::move(Use));
    else
      Refusal = IBV_WC_REM_ACCESS_ERR;
  }
  if (Refusal == IBV_WC_SUCCESS)
    return {};
  return isNext(P) ? Qp.refuse(*Remote, Refusal) : Result{Outcome::Later};
}

Result WeakMemory::admitAnnouncement(Piece &P) {
  SharedQueuePair *Remote = Qp.reach();
  if (!Remote)
    return Qp.unreachable();
  if (!P.Receive) {
    uint32_t Queue = queueFor(*Qp.Target, *Remote, *P.Of);
    if (!Queue || !Qp.fitsPackets(*Remote, *P.Of))
      return isNext(P) ? Qp.refuse(*Remote, IBV_WC_REM_INV_REQ_ERR) : Result{Outcome::Later};
    if (!freeSlot(*Remote))
      return {Outcome::Later};
    TakenReceive R;
    if (!takeReceive(*Qp.Target, *Remote, Queue, R))
      return {Outcome::NoReceive};
    P.Receive = std::make_shared<TakenReceive>(R);
  }
  ibv_wc_status Fits = receivable(*Qp.Target, *Remote, *P.Of, *P.Receive);
  if (Fits == IBV_WC_SUCCESS && P.Of->Opcode == IBV_WR_SEND_WITH_INV &&
      !binding::invalidate(Qp.Target->segment(), *Remote, P.Of->Imm))
    Fits = IBV_WC_MW_BIND_ERR;
  if (Fits == IBV_WC_SUCCESS)
    return {};
  // What was sent before is received before.
  if (!Qp.Weak->ToRemote.empty())
    return {Outcome::Later};
  return completeReceive(*Qp.Target, *Remote, announcementOf(Qp, *P.Of), *std::exchange(P.Receive, nullptr),
                         Fits);
}

Result WeakMemory::admit(nic::Rule Rule, Piece &P) {
  switch (Rule) {
  case nic::Rule::PutReads:
    return admitLocal(P);
  case nic::Rule::PutSends: {
    if (binding::isLocal(P.Of->Opcode))
      return binding::execute(Qp, *P.Of);
    Result First = isSend(P.Of->Opcode) ? Result{} : admitRemote(P, IBV_ACCESS_REMOTE_WRITE);
    return First.What == Outcome::Done && P.Last && announces(*P.Of) ? admitAnnouncement(P) : First;
  }
  case nic::Rule::GetReads:
  case nic::Rule::AtomicReads: {
    Result First = admitLocal(P);
    bool IsAtomic = isAtomic(P.Of->Opcode);
    if (First.What != Outcome::Done)
      return First;
    if (IsAtomic && P.Length != 8)
      return {Outcome::Failed, IBV_WC_LOC_LEN_ERR};
    return admitRemote(P, IsAtomic ? IBV_ACCESS_REMOTE_ATOMIC : IBV_ACCESS_REMOTE_READ);
  }
  default:
    return {};
  }
}

void WeakMemory::readLocal(Piece &P) {
  P.Bytes = std::make_shared<std::vector<char>>(P.Length);
  copyLocal(P, true, 0);
}

void WeakMemory::readRemote(Piece &P) {
  P.Bytes = std::make_shared<std::vector<char>>(P.Length);
  enterInOrder(*Qp.Target);
  if (P.Length && !Qp.Target->read(P.Bytes->data(), *P.There, 0, P.Length))
    P.Of->Failure = IBV_WC_RETRY_EXC_ERR;
  P.There = nullptr;
}

void WeakMemory::writeLocal(Piece &P) {
  if (P.Of->Failure == IBV_WC_SUCCESS && !copyLocal(P, false, IBV_ACCESS_LOCAL_WRITE))
    P.Of->Failure = IBV_WC_LOC_PROT_ERR;
}

void WeakMemory::writeRemote(Piece &P) {
  if (P.Ticket) {
    inbound::arrive(*Qp.Target, P.Ticket, Settings::get().Ordered);
    P.There = nullptr;
    return;
  }
  if (binding::isLocal(P.Of->Opcode))
    return;
  enterInOrder(*Qp.Target);
  if (isAtomic(P.Of->Opcode))
    Qp.Target->write(*P.There, 0, &P.Value, 8);
  else if (P.Length && P.There)
    Qp.Target->write(*P.There, 0, P.Bytes->data(), P.Length);
  P.There = nullptr;
  if (!P.Receive)
    return;
  Chunk Data = {P.Bytes ? P.Bytes->data() : nullptr, P.Bytes ? P.Bytes->size() : 0};
  SharedQueuePair &There = Qp.Target->segment().QueuePairs[queuePairIndex(Qp.Shared->PeerNumber)];
  if (SharedQueuePair *Remote = Qp.remote())
    P.Of->Received =
        deliver(*Qp.Target, *Remote, announcementOf(Qp, *P.Of), std::span(&Data, 1), *P.Receive).What ==
        Outcome::Done;
  else if (There.Number == Qp.Shared->PeerNumber && There.State == IBV_QPS_ERR)
    flushReceive(*Qp.Target, There, P.Receive->WrId, P.Receive->Slot); // it failed meanwhile
}

bool WeakMemory::acknowledge(Piece &P) {
  const Request &R = *P.Of;
  if (binding::isLocal(R.Opcode))
    return true;
  SharedArrival A;
  A.Pid = processId();
  A.Lid = Qp.Home.lid();
  A.Number = Qp.number();
  A.TargetNumber = Qp.Shared->PeerNumber;
  A.Opcode = R.Opcode;
  A.Flags = R.Flags;
  A.Imm = R.Imm;
  A.MessageLength = R.Length;
  if (P.There) {
    A.Key = P.There->Key;
    A.Domain = Qp.Target->segment().Regions[regionIndex(A.Key)].Domain;
    A.Address = P.There->Named;
    A.Length = isAtomic(R.Opcode) ? 8 : P.Length;
  }
  if (P.Receive) {
    A.Slot = Qp.Target->segment().offsetOf(P.Receive->Slot);
    A.Receive = *P.Receive;
  }
  Chunk Data = {P.Bytes ? P.Bytes->data() : nullptr, P.Bytes ? P.Bytes->size() : 0};
  if (isAtomic(R.Opcode))
    Data = {reinterpret_cast<char *>(&P.Value), 8};
  P.Ticket = inbound::append(*Qp.Target, A, Data);
  return P.Ticket != 0;
}

std::optional<Piece> WeakMemory::readAtomic(Piece &P) {
  uint64_t Old = 0;
  enterInOrder(*Qp.Target);
  if (!Qp.Target->read(&Old, *P.There, 0, 8))
    P.Of->Failure = IBV_WC_RETRY_EXC_ERR;
  P.Bytes = std::make_shared<std::vector<char>>(8);
  copyWords(P.Bytes->data(), &Old, 8);
  Piece Write = P;
  P.There = nullptr;
  bool IsSwap = P.Of->Opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
  Write.Value = IsSwap ? P.Of->Swap : Old + P.Of->CompareAdd;
  if (IsSwap && Old != P.Of->CompareAdd)
    return std::nullopt;
  return Write;
}

bool WeakMemory::tryLock(Piece &) {
  std::optional<Lock> Got = Qp.Target->segment().AtomicsLock.tryLock();
  // Its holder may have been acknowledged the atomic that it was carrying out.
  if (Got == Lock::TakenOver)
    inbound::replay(*Qp.Target);
  return Got.has_value();
}

/// An acknowledged one frees the lock as it arrives, whoever makes it.
void WeakMemory::unlock(Piece &P) {
  if (!P.Ticket)
    Qp.Target->segment().AtomicsLock.unlock();
}

} // namespace rdma::device
