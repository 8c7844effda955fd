// Shared receive queues.
#include "runtime/device/Context.h"
#include "runtime/device/EventSources.h"
#include "runtime/device/Receive.h"

#include <bit>

using namespace rdma::device;

namespace rdma::device {

int postSharedReceive(ibv_srq *Srq, ibv_recv_wr *List, ibv_recv_wr **Bad) {
  SharedReceives *S = SharedReceives::of(Srq);
  std::unique_lock Guard(S->Telling, std::defer_lock);
  if (check::Enabled) [[unlikely]] {
    Guard.lock();
    uint32_t Number = nodeOf(Srq->context).segment().ReceiveQueues[S->Index].Tail;
    for (ibv_recv_wr *Wr = List; Wr; Wr = Wr->next) // before it is posted: a message may come at once
      check::receivePosted(*S->Checked, Number++, *Wr);
  }
  Node &N = nodeOf(Srq->context);
  return postReceives(N, S->Index, List, Bad, S->Attr.max_sge, S->Attr.max_wr,
                      {N.segment().ReceiveQueues[S->Index].Head, 0});
}

SharedReceives *createSharedReceives(ibv_pd *Pd, const ibv_srq_attr &Attr, void *Context) {
  if (!Attr.max_wr || Attr.max_wr > MaxRequests || Attr.max_sge > MaxSge) {
    errno = EINVAL;
    return nullptr;
  }
  Node &N = nodeOf(Pd->context);
  auto *S = new SharedReceives;
  if (!createReceiveQueue(N, S->Index, Attr.max_wr)) {
    delete S;
    errno = ENOMEM;
    return nullptr;
  }
  S->Attr = Attr;
  if (check::Enabled)
    S->Checked = std::make_unique<check::Tasks>(Attr.max_wr);
  S->Base.context = Pd->context;
  S->Base.srq_context = Context;
  S->Base.pd = Pd;
  S->Base.handle = S->Index;
  pthread_mutex_init(&S->Base.mutex, nullptr);
  pthread_cond_init(&S->Base.cond, nullptr);
  SharedReceiveQueue &Q = N.segment().ReceiveQueues[S->Index];
  Q.Events = eventsOf(Pd->context, &S->Base);
  Q.Domain = Domain::of(Pd)->Number;
  Q.Limit = 0; // that of the attributes is for ibv_modify_srq alone
  N.LocalReceives[S->Index] = S;
  Domain::of(Pd)->Users++;
  return S;
}

} // namespace rdma::device

extern "C" {

ibv_srq *ibv_create_srq(ibv_pd *Pd, ibv_srq_init_attr *Init) {
  SharedReceives *S = createSharedReceives(Pd, Init->attr, Init->srq_context);
  return S ? &S->Base : nullptr;
}

int ibv_modify_srq(ibv_srq *Srq, ibv_srq_attr *Attr, int Mask) {
  SharedReceives *S = SharedReceives::of(Srq);
  if (Mask & IBV_SRQ_MAX_WR)
    return EOPNOTSUPP;
  if (Mask & IBV_SRQ_LIMIT) {
    if (Attr->srq_limit > S->Attr.max_wr)
      return EINVAL;
    SharedReceiveQueue &Q = nodeOf(Srq->context).segment().ReceiveQueues[S->Index];
    QueueGuard Guard(nodeOf(Srq->context).segment(), Q);
    Q.Limit = Attr->srq_limit;
  }
  return 0;
}

int ibv_query_srq(ibv_srq *Srq, ibv_srq_attr *Attr) {
  *Attr = SharedReceives::of(Srq)->Attr;
  Attr->srq_limit = nodeOf(Srq->context).segment().ReceiveQueues[SharedReceives::of(Srq)->Index].Limit;
  return 0;
}

int ibv_destroy_srq(ibv_srq *Srq) {
  SharedReceives *S = SharedReceives::of(Srq);
  if (S->Users)
    return EBUSY;
  if (S->Checked)
    S->Checked->acquireAll();
  Node &N = nodeOf(Srq->context);
  sources::retire(N.segment().ReceiveQueues[S->Index].Events.Source);
  Domain::of(Srq->pd)->Users--;
  N.LocalReceives[S->Index] = nullptr;
  destroyReceiveQueue(N, S->Index);
  if (S->Xrc) {
    S->Xrc->Users--;
    S->Completions->Users--;
  }
  delete S;
  return 0;
}
}
