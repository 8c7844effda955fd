#include "runtime/device/WorkRequests.h"

#include "runtime/device/Binding.h"
#include "runtime/device/Context.h"
#include "runtime/device/Copy.h"
#include "runtime/device/Weak.h"

#include <algorithm>
#include <span>

namespace rdma::device {

namespace {

constexpr uint64_t Supported = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
                               IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
                               IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
                               IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW |
                               IBV_QP_EX_WITH_SEND_WITH_INV;

QueuePair &of(ibv_qp_ex *Qp) { return *QueuePair::of(&Qp->qp_base); }

void reject(ibv_qp_ex *Qp, int Error) {
  RequestBatch &B = *of(Qp).Batch;
  if (!B.Error)
    B.Error = Error;
}

// The builders: each begins a request.

Request &begin(ibv_qp_ex *Qp, ibv_wr_opcode Opcode) {
  Request &R = of(Qp).Batch->Requests.emplace_back();
  R.WrId = Qp->wr_id;
  R.Opcode = Opcode;
  R.Flags = Qp->wr_flags & ~static_cast<unsigned>(IBV_SEND_INLINE);
  return R;
}

Request &beginRemote(ibv_qp_ex *Qp, ibv_wr_opcode Opcode, uint32_t Rkey, uint64_t Address) {
  Request &R = begin(Qp, Opcode);
  R.Rkey = Rkey;
  R.RemoteAddr = Address;
  return R;
}

void compareSwap(ibv_qp_ex *Qp, uint32_t Rkey, uint64_t Address, uint64_t Compare, uint64_t Swap) {
  Request &R = beginRemote(Qp, IBV_WR_ATOMIC_CMP_AND_SWP, Rkey, Address);
  R.CompareAdd = Compare;
  R.Swap = Swap;
}

void fetchAdd(ibv_qp_ex *Qp, uint32_t Rkey, uint64_t Address, uint64_t Add) {
  beginRemote(Qp, IBV_WR_ATOMIC_FETCH_AND_ADD, Rkey, Address).CompareAdd = Add;
}

void read(ibv_qp_ex *Qp, uint32_t Rkey, uint64_t Address) {
  beginRemote(Qp, IBV_WR_RDMA_READ, Rkey, Address);
}

void write(ibv_qp_ex *Qp, uint32_t Rkey, uint64_t Address) {
  beginRemote(Qp, IBV_WR_RDMA_WRITE, Rkey, Address);
}

void writeImm(ibv_qp_ex *Qp, uint32_t Rkey, uint64_t Address, __be32 Imm) {
  beginRemote(Qp, IBV_WR_RDMA_WRITE_WITH_IMM, Rkey, Address).Imm = Imm;
}

void send(ibv_qp_ex *Qp) { begin(Qp, IBV_WR_SEND); }

void sendImm(ibv_qp_ex *Qp, __be32 Imm) { begin(Qp, IBV_WR_SEND_WITH_IMM).Imm = Imm; }

void sendInvalidating(ibv_qp_ex *Qp, uint32_t Key) { begin(Qp, IBV_WR_SEND_WITH_INV).Imm = Key; }

void invalidateLocally(ibv_qp_ex *Qp, uint32_t Key) { begin(Qp, IBV_WR_LOCAL_INV).Imm = Key; }

void bindWindow(ibv_qp_ex *Qp, ibv_mw *, uint32_t Key, const ibv_mw_bind_info *Info) {
  binding::fill(begin(Qp, IBV_WR_BIND_MW), Key, *Info);
}

// What the device has not, and what the queue pair was not created for: cards prepare it for no more.

template <typename... Arguments> void refuse(ibv_qp_ex *Qp, Arguments...) { reject(Qp, EOPNOTSUPP); }

// The setters: each completes the last request that was begun.

/// Null when there is none.
Request *last(ibv_qp_ex *Qp) {
  std::vector<Request> &All = of(Qp).Batch->Requests;
  if (!All.empty())
    return &All.back();
  reject(Qp, EINVAL);
  return nullptr;
}

void setList(ibv_qp_ex *Qp, size_t Count, const ibv_sge *List) {
  Request *R = last(Qp);
  if (!R)
    return;
  if (Count > of(Qp).Init.cap.max_send_sge)
    return reject(Qp, EINVAL);
  R->SgeCount = static_cast<uint32_t>(Count);
  std::copy_n(List, Count, R->Sges);
}

void setOne(ibv_qp_ex *Qp, uint32_t Key, uint64_t Address, uint32_t Length) {
  ibv_sge Entry = {Address, Length, Key};
  setList(Qp, 1, &Entry);
}

void setAddress(ibv_qp_ex *Qp, ibv_ah *Ah, uint32_t Number, uint32_t Qkey) {
  if (Request *R = last(Qp)) {
    R->To = Handle::share(Ah);
    R->RemoteNumber = Number;
    R->Qkey = Qkey;
  }
}

void setReceiveQueue(ibv_qp_ex *Qp, uint32_t Number) {
  if (Request *R = last(Qp))
    R->RemoteNumber = Number;
}

void setInlineList(ibv_qp_ex *Qp, size_t Count, const ibv_data_buf *List) {
  Request *R = last(Qp);
  if (!R)
    return;
  R->Flags |= IBV_SEND_INLINE;
  R->Inline.clear();
  for (const ibv_data_buf &Part : std::span(List, Count)) {
    size_t At = R->Inline.size();
    if (Part.length > of(Qp).Init.cap.max_inline_data - At)
      return reject(Qp, EINVAL);
    R->Inline.resize(At + Part.length);
    copyWords(R->Inline.data() + At, Part.addr, Part.length);
  }
  R->Length = R->Inline.size();
}

void setInline(ibv_qp_ex *Qp, void *Address, size_t Length) {
  ibv_data_buf Part = {Address, Length};
  setInlineList(Qp, 1, &Part);
}

// The batch.

void leave(RequestBatch &B) {
  B.Requests.clear();
  B.Error = 0;
  B.Section.unlock();
}

void start(ibv_qp_ex *Qp) { of(Qp).Batch->Section.lock(); }

int complete(ibv_qp_ex *Qp) {
  RequestBatch &B = *of(Qp).Batch;
  int Error = B.Error ? B.Error : of(Qp).post(B.Requests);
  leave(B);
  if (WeakScheduler *Scheduler = WeakScheduler::get())
    Scheduler->call();
  return Error;
}

void abandon(ibv_qp_ex *Qp) { leave(*of(Qp).Batch); }

void fillCalls(ibv_qp_ex &Q, uint64_t AskedFor) {
  auto fill = [=](uint64_t Flag, auto *&Call, auto *Builder) {
    Call = refuse;
    if (AskedFor & Flag)
      Call = Builder;
  };
  fill(IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, Q.wr_atomic_cmp_swp, compareSwap);
  fill(IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, Q.wr_atomic_fetch_add, fetchAdd);
  fill(IBV_QP_EX_WITH_BIND_MW, Q.wr_bind_mw, bindWindow);
  fill(IBV_QP_EX_WITH_LOCAL_INV, Q.wr_local_inv, invalidateLocally);
  fill(IBV_QP_EX_WITH_RDMA_READ, Q.wr_rdma_read, read);
  fill(IBV_QP_EX_WITH_RDMA_WRITE, Q.wr_rdma_write, write);
  fill(IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, Q.wr_rdma_write_imm, writeImm);
  fill(IBV_QP_EX_WITH_SEND, Q.wr_send, send);
  fill(IBV_QP_EX_WITH_SEND_WITH_IMM, Q.wr_send_imm, sendImm);
  fill(IBV_QP_EX_WITH_SEND_WITH_INV, Q.wr_send_inv, sendInvalidating);
  Q.wr_send_tso = refuse;
  Q.wr_atomic_write = refuse;
  Q.wr_set_ud_addr = setAddress;
  Q.wr_set_xrc_srqn = setReceiveQueue;
  Q.wr_set_inline_data = setInline;
  Q.wr_set_inline_data_list = setInlineList;
  Q.wr_set_sge = setOne;
  Q.wr_set_sge_list = setList;
  Q.wr_start = start;
  Q.wr_complete = complete;
  Q.wr_abort = abandon;
}

} // namespace

ibv_qp *createExtended(ibv_context *Public, ibv_qp_init_attr_ex *Init) {
  constexpr uint32_t Known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS |
                             IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
  auto isSet = [&](uint32_t Field, uint64_t Value) { return Init->comp_mask & Field && Value; };
  bool WithCalls = Init->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  constexpr uint32_t KnownFlags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
  bool HasFlags = Init->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS;
  if (Init->comp_mask & ~Known || (HasFlags && Init->create_flags & ~KnownFlags) ||
      isSet(IBV_QP_INIT_ATTR_MAX_TSO_HEADER, Init->max_tso_header) ||
      (WithCalls && Init->send_ops_flags & ~Supported)) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  bool Receives = Init->qp_type == IBV_QPT_XRC_RECV;
  ibv_pd *Pd = Init->comp_mask & IBV_QP_INIT_ATTR_PD && !Receives ? Init->pd : nullptr;
  XrcDomain *Xrc = Init->comp_mask & IBV_QP_INIT_ATTR_XRCD ? XrcDomain::of(Init->xrcd) : nullptr;
  // The extended attributes begin with the plain ones.
  ibv_qp *Qp = createQueuePair(Public, Pd, Xrc, *reinterpret_cast<ibv_qp_init_attr *>(Init));
  if (Qp)
    QueuePair::of(Qp)->SkipsItself = HasFlags && Init->create_flags & IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
  if (Qp && WithCalls) {
    QueuePair::of(Qp)->Batch = std::make_unique<RequestBatch>();
    fillCalls(QueuePair::of(Qp)->Base, Init->send_ops_flags);
  }
  return Qp;
}

} // namespace rdma::device

extern "C" ibv_qp_ex *ibv_qp_to_qp_ex(ibv_qp *Qp) {
  rdma::device::QueuePair &Q = *rdma::device::QueuePair::of(Qp);
  return Q.Batch ? &Q.Base : nullptr;
}
