// The calls around completion queues and channels.
#include "runtime/device/Check.h"
#include "runtime/device/Context.h"
#include "runtime/device/EventSources.h"
#include "runtime/device/Link.h"
#include "runtime/device/Taken.h"
#include "runtime/device/Underway.h"
#include "runtime/device/Weak.h"

#include <bit>
#include <fcntl.h>
#include <unistd.h>

using namespace rdma::device;

namespace rdma::device {

int pollCq(ibv_cq *Cq, int Count, ibv_wc *To) {
  if (WeakScheduler *Scheduler = WeakScheduler::get())
    Scheduler->call();
  link::progress();
  if (check::Enabled) [[unlikely]]
    check::passed(check::PollCall);
  return CompletionQueue::of(Cq)->poll(Count, To);
}

int requestNotification(ibv_cq *Cq, int SolicitedOnly) {
  SharedCompletionQueue &Q = *CompletionQueue::of(Cq)->Shared;
  QueueGuard Guard(nodeOf(Cq->context).segment(),
                   Q); // a completion is either there before, or sees the request
  if (!(SolicitedOnly && Q.Notify == Armed::Any))
    Q.Notify = SolicitedOnly ? Armed::Solicited : Armed::Any;
  return 0;
}

static bool createRing(CompletionQueue &C, uint32_t Count) {
  Node &N = *C.Home;
  C.Index = N.Completions.take();
  if (C.Index == IndexPool::Full)
    return false;
  SharedCompletionQueue &Q = N.segment().CompletionQueues[C.Index];
  Q.Capacity = std::bit_ceil(Count);
  Q.Ring = N.allocate(Q.Capacity * sizeof(SharedCompletion));
  if (!Q.Ring)
    return N.Completions.giveBack(C.Index), false;
  Q.Head = Q.Tail = Q.HeadSeen = 0;
  Q.Overrun = false;
  Q.WithTime = false;
  Q.Notify = Armed::No;
  Q.Events = eventsOf(C.cq()->context, C.cq());
  Q.Cookie = N.NextCookie++;
  C.Shared = &Q;
  C.Ring = N.segment().at<SharedCompletion>(Q.Ring);
  return true;
}

} // namespace rdma::device

extern "C" {

ibv_comp_channel *ibv_create_comp_channel(ibv_context *Public) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC))
    return nullptr;
  fcntl(Pipe[1], F_SETFL, O_NONBLOCK);
  auto *C = new Channel;
  C->Base.context = Public;
  C->Base.fd = Pipe[0];
  C->WriteEnd = Pipe[1];
  C->Cookie = nodeOf(Public).NextCookie++;
  return &C->Base;
}

int ibv_destroy_comp_channel(ibv_comp_channel *Channel_) {
  Channel *C = Channel::of(Channel_);
  if (C->Base.refcnt)
    return EBUSY;
  close(C->Base.fd);
  close(C->WriteEnd);
  delete C;
  return 0;
}

/// A pipe takes what is written to it only while it has room: for an event of each queue.
static bool makeRoom(const Channel &For) {
  int Needed = (For.Base.refcnt + 1) * static_cast<int>(2 * sizeof(uint64_t)), Fd = For.WriteEnd;
  return Needed <= fcntl(Fd, F_GETPIPE_SZ) || fcntl(Fd, F_SETPIPE_SZ, 2 * Needed) >= Needed;
}

ibv_cq *ibv_create_cq(ibv_context *Public, int Count, void *CqContext, ibv_comp_channel *Announce,
                      int Vector) {
  if (Count < 1 || static_cast<uint32_t>(Count) > MaxCompletions || Vector < 0 ||
      Vector >= Public->num_comp_vectors || (Announce && Announce->context != Public)) {
    errno = EINVAL;
    return nullptr;
  }
  if (Announce && !makeRoom(*Channel::of(Announce))) {
    errno = ENOMEM;
    return nullptr;
  }
  auto *C = new CompletionQueue(nodeOf(Public));
  ibv_cq *Cq = C->cq();
  Cq->context = Public;
  Cq->channel = Announce;
  Cq->cq_context = CqContext;
  pthread_mutex_init(&Cq->mutex, nullptr);
  pthread_cond_init(&Cq->cond, nullptr);
  if (!createRing(*C, static_cast<uint32_t>(Count))) {
    delete C;
    errno = ENOMEM;
    return nullptr;
  }
  Cq->cqe = static_cast<int>(C->Shared->Capacity);
  Cq->handle = C->Index;
  if (Announce) {
    Announce->refcnt++;
    C->Shared->ChannelCookie = Channel::of(Announce)->Cookie;
  }
  C->Shared->ChannelFd = Announce ? Channel::of(Announce)->WriteEnd : -1;
  C->Home->LocalCompletions[C->Index] = C;
  return Cq;
}

int ibv_destroy_cq(ibv_cq *Cq) {
  CompletionQueue *C = CompletionQueue::of(Cq);
  if (C->Users)
    return EBUSY;
  sources::retire(C->Shared->Events.Source);
  Node &N = *C->Home;
  N.LocalCompletions[C->Index] = nullptr;
  {
    // Queue pairs are gone, so nobody puts; events already read have to be acknowledged.
    pthread_mutex_lock(&Cq->mutex);
    while (Cq->comp_events_completed != C->EventsRead)
      pthread_cond_wait(&Cq->cond, &Cq->mutex);
    pthread_mutex_unlock(&Cq->mutex);
  }
  if (Cq->channel)
    Cq->channel->refcnt--;
  C->Shared->ChannelFd = -1;
  C->Shared->Cookie = 0;
  N.release(C->Shared->Ring, C->Shared->Capacity * sizeof(SharedCompletion));
  N.Completions.giveBack(C->Index);
  delete C;
  return 0;
}

int ibv_resize_cq(ibv_cq *Cq, int Count) {
  if (Count < 1 || static_cast<uint32_t>(Count) > MaxCompletions)
    return EINVAL;
  CompletionQueue *C = CompletionQueue::of(Cq);
  int Error = C->resize(static_cast<uint32_t>(Count));
  Cq->cqe = static_cast<int>(C->Shared->Capacity);
  return Error;
}

int ibv_get_cq_event(ibv_comp_channel *Announce, ibv_cq **Cq, void **CqContext) {
  for (;;) {
    uint64_t Record[2];
    if (WeakScheduler *Scheduler = WeakScheduler::get(); Scheduler && !Scheduler->awaitEvent(Announce->fd))
      return -1;
    ssize_t Got = read(Announce->fd, Record, sizeof Record);
    if (Got != sizeof Record)
      return -1;
    CompletionQueue *C = nodeOf(Announce->context).LocalCompletions[Record[1] % MaxCompletionQueues];
    if (!C || C->Shared->Cookie != Record[0])
      continue; // of a queue that is gone
    *Cq = C->cq();
    *CqContext = C->cq()->cq_context;
    C->EventsRead++;
    return 0;
  }
}

void ibv_ack_cq_events(ibv_cq *Cq, unsigned Count) {
  pthread_mutex_lock(&Cq->mutex);
  Cq->comp_events_completed += Count;
  pthread_cond_signal(&Cq->cond);
  pthread_mutex_unlock(&Cq->mutex);
}
}
