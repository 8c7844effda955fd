// The bytes of a stream: messages, and writes to mapped memory.
#include "runtime/sockets/Stream.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace rdma::sockets {

namespace {

constexpr uint64_t Outgoing = uint64_t(1) << 32; ///< in the work request's number, beside its slot

} // namespace

void Stream::postReceive(uint32_t Slot) {
  ibv_sge Where = {reinterpret_cast<uint64_t>(slotIn(Slot)), SlotSize, Region->lkey};
  ibv_recv_wr Wr = {}, *Bad;
  Wr.wr_id = Slot;
  Wr.sg_list = &Where;
  Wr.num_sge = 1;
  ibv_post_recv(Id->qp, &Wr, &Bad);
}

bool Stream::post(uint32_t Slot, uint32_t Length, Frame What, const RemoteMap *To, uint64_t Offset) {
  ibv_sge Where = {reinterpret_cast<uint64_t>(slotOut(Slot)), Length, Region->lkey};
  ibv_send_wr Wr = {}, *Bad;
  Wr.wr_id = Outgoing | Slot;
  Wr.sg_list = &Where;
  Wr.num_sge = Length ? 1 : 0;
  Wr.send_flags = IBV_SEND_SIGNALED;
  Wr.opcode = To ? IBV_WR_RDMA_WRITE : IBV_WR_SEND_WITH_IMM;
  Wr.imm_data = static_cast<uint32_t>(What);
  if (To) {
    Wr.wr.rdma.remote_addr = To->Address + (Offset - To->Offset);
    Wr.wr.rdma.rkey = To->Key;
  }
  if (!ibv_post_send(Id->qp, &Wr, &Bad))
    return true;
  IsBroken = true;
  return false;
}

void Stream::onMessage(uint32_t Slot, Frame What, uint32_t Length) {
  switch (What) {
  case Frame::Data:
    Incoming.push_back({Slot, Length, 0});
    return;
  case Frame::End:
    PeerEnded = true;
    break;
  case Frame::Map: {
    RemoteMap New;
    memcpy(&New, slotIn(Slot), sizeof New);
    std::erase_if(Remote, [&](const RemoteMap &M) { return M.Offset == New.Offset; });
    if (!New.IsGone)
      Remote.push_back(New);
    break;
  }
  }
  postReceive(Slot);
}

/// The descriptors: what the connection manager says, and that there are completions.
bool Stream::readEvents() {
  bool Some = false;
  for (rdma_cm_event *E; !rdma_get_cm_event(Events, &E); Some = true) {
    rdma_cm_event Copy = *E;
    rdma_ack_cm_event(E); // a request is of the listener; its identifier stays
    onEvent(Copy);
  }
  ibv_cq *From;
  void *Context;
  while (Queue && !ibv_get_cq_event(Completions, &From, &Context))
    ibv_ack_cq_events(From, 1);
  return Some;
}

bool Stream::progress() {
  bool LooksAtAll = looksAtAll(), Some = (Now != State::Connected || LooksAtAll) && readEvents();
  ibv_wc Done[16];
  for (int Count; Queue && (Count = ibv_poll_cq(Queue, 16, Done)) > 0; Some = true)
    for (const ibv_wc &C : std::span(Done, static_cast<size_t>(Count))) {
      if (C.status != IBV_WC_SUCCESS)
        IsBroken = true;
      if (C.wr_id & Outgoing)
        FreeSlots.push_back(static_cast<uint32_t>(C.wr_id));
      else if (C.status == IBV_WC_SUCCESS)
        onMessage(static_cast<uint32_t>(C.wr_id), static_cast<Frame>(C.imm_data), C.byte_len);
    }
  return Some;
}

void Stream::watch(std::vector<pollfd> &To) {
  To.push_back({Events->fd, POLLIN, 0});
  if (!Queue)
    return;
  ibv_req_notify_cq(Queue, 0);
  To.push_back({Completions->fd, POLLIN, 0});
}

short Stream::ready(short Events) {
  std::lock_guard Held(Lock);
  progress();
  bool In = Now == State::Listening ? !Requests.empty() : Now == State::Connected && canReceive();
  bool Out = Now == State::Connected && canSend();
  int Found = (In ? POLLIN : 0) | (Out ? POLLOUT : 0);
  if (Now == State::Failed)
    Found |= POLLIN | POLLOUT;
  int Always = (Now == State::Failed ? POLLERR : 0) |
               (Now == State::Connected && IsBroken && Incoming.empty() ? POLLHUP : 0);
  return static_cast<short>((Found & Events) | Always);
}

ssize_t Stream::receive(msghdr &Message, int Flags) {
  Guard Held(Lock);
  std::span<const iovec> To = partsOf(Message);
  size_t Wanted = lengthOf(To), Done = 0;
  if (Now == State::Idle || Now == State::Bound || Now == State::Listening)
    return failed(ENOTCONN);
  do {
    if (!wait(Held, Flags, [&] { return canReceive(); }))
      return Done ? static_cast<ssize_t>(Done) : -1;
    if (Incoming.empty()) // the end of the stream, orderly or not
      break;
    Stream::Message &M = Incoming.front();
    size_t Part = std::min<size_t>(Wanted - Done, M.Length - M.Used);
    const char *From = slotIn(M.Slot) + M.Used;
    forStretch(To, Done, Part, [&](char *At, size_t Size) {
      memcpy(At, From, Size);
      From += Size;
    });
    Done += Part;
    if (Flags & MSG_PEEK)
      break;
    M.Used += static_cast<uint32_t>(Part);
    if (M.Used == M.Length) {
      uint32_t Slot = M.Slot;
      Incoming.pop_front();
      postReceive(Slot);
    }
  } while (Done < Wanted && (Flags & MSG_WAITALL || !Incoming.empty()));
  if (Message.msg_name && Done)
    tell(rdma_get_peer_addr(Id), Message.msg_name, &Message.msg_namelen);
  return static_cast<ssize_t>(Done);
}

ssize_t Stream::send(const msghdr &Message, int Flags) {
  Guard Held(Lock);
  if (Message.msg_name)
    return failed(EISCONN);
  std::span<const iovec> From = partsOf(Message);
  size_t Size = lengthOf(From), Done = 0;
  while (Done < Size) {
    if (Now != State::Connected)
      return failed(Now == State::Connecting ? EAGAIN : ENOTCONN);
    if (Ended)
      return failed(EPIPE);
    if (!wait(Held, Flags, [&] { return canSend(); }))
      return Done ? static_cast<ssize_t>(Done) : -1;
    if (IsBroken)
      return Done ? static_cast<ssize_t>(Done) : failed(ECONNRESET);
    uint32_t Slot = FreeSlots.back();
    FreeSlots.pop_back();
    size_t Part = std::min<size_t>(Size - Done, SlotSize);
    char *To = slotOut(Slot);
    forStretch(From, Done, Part, [&](const char *At, size_t Length) {
      memcpy(To, At, Length);
      To += Length;
    });
    if (!post(Slot, static_cast<uint32_t>(Part), Frame::Data))
      return failed(ECONNRESET);
    Done += Part;
  }
  return static_cast<ssize_t>(Done);
}

bool Stream::sendFrame(Guard &Held, Frame What, const void *Data, size_t Size) {
  while (FreeSlots.empty() && !IsBroken) {
    progress();
    if (FreeSlots.empty())
      pause(Held);
  }
  if (IsBroken)
    return false;
  uint32_t Slot = FreeSlots.back();
  FreeSlots.pop_back();
  if (Size)
    memcpy(slotOut(Slot), Data, Size);
  return post(Slot, static_cast<uint32_t>(Size), What);
}

int64_t Stream::map(void *At, size_t Size, int Protection, int64_t Offset) {
  Guard Held(Lock);
  if (Now != State::Connected)
    return failed(ENOTCONN);
  if (!At || Protection & ~(PROT_READ | PROT_WRITE))
    return failed(EINVAL);
  int Access = IBV_ACCESS_LOCAL_WRITE | (Protection & PROT_WRITE ? IBV_ACCESS_REMOTE_WRITE : 0) |
               (Protection & PROT_READ ? IBV_ACCESS_REMOTE_READ : 0);
  ibv_mr *M = ibv_reg_mr(Id->pd, At, Size, Access);
  if (!M)
    return -1;
  uint64_t Place = Offset == -1 ? reinterpret_cast<uint64_t>(At) : static_cast<uint64_t>(Offset);
  RemoteMap Told = {Place, reinterpret_cast<uint64_t>(At), Size, M->rkey, 0};
  if (!sendFrame(Held, Frame::Map, &Told, sizeof Told)) {
    ibv_dereg_mr(M);
    return failed(ECONNRESET);
  }
  Mapped[At] = {M, Place};
  return static_cast<int64_t>(Place);
}

int Stream::unmap(void *At, size_t) {
  Guard Held(Lock);
  auto Found = Mapped.find(At);
  if (Found == Mapped.end())
    return failed(EINVAL);
  RemoteMap Told = {Found->second.second, 0, 0, 0, 1};
  if (Now == State::Connected && !Ended)
    sendFrame(Held, Frame::Map, &Told, sizeof Told);
  ibv_dereg_mr(Found->second.first);
  Mapped.erase(Found);
  return 0;
}

const RemoteMap *Stream::findRemote(uint64_t Offset) const {
  auto Found = std::find_if(Remote.begin(), Remote.end(), [=](const RemoteMap &M) {
    return Offset >= M.Offset && Offset - M.Offset < M.Length;
  });
  return Found == Remote.end() ? nullptr : &*Found;
}

ssize_t Stream::writeMapped(const char *From, size_t Size, uint64_t Offset, int Flags) {
  Guard Held(Lock);
  for (size_t Done = 0; Done < Size;) {
    if (!wait(Held, Flags, [&] { return Now != State::Connected || canSend(); }))
      return Done ? static_cast<ssize_t>(Done) : -1;
    if (Now != State::Connected || Ended || IsBroken)
      return failed(ECONNRESET);
    const RemoteMap *To = findRemote(Offset + Done);
    if (!To)
      return failed(EINVAL);
    uint64_t Left = To->Length - (Offset + Done - To->Offset);
    uint64_t Part = std::min({Size - Done, Left, uint64_t(SlotSize)});
    uint32_t Slot = FreeSlots.back();
    FreeSlots.pop_back();
    memcpy(slotOut(Slot), From + Done, Part);
    if (!post(Slot, static_cast<uint32_t>(Part), Frame::Data, To, Offset + Done))
      return failed(ECONNRESET);
    Done += Part;
  }
  return static_cast<ssize_t>(Size);
}

} // namespace rdma::sockets
