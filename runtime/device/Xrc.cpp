// Extended reliable connections: queue pairs that send name one of the other side's receive queues with each
// request, and the one that they are connected to receives for all queues of its domain.
//
// Such a domain is one of this process: a receive queue is reached through queue pairs of its own process,
// also where several have opened the domain of one file.
#include "runtime/device/Context.h"
#include "runtime/device/Receive.h"

#include <cstdio>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/stat.h>

namespace rdma::device {

namespace {

using File = std::tuple<Node *, dev_t, ino_t>;

std::mutex FilesLock;
std::map<File, std::pair<uint32_t, uint32_t>> Files; ///< the number of the domain, and how often it is open
std::map<XrcDomain *, File> FileOf;
uint32_t LastNumber = 0;

/// The number of the domain of that file; an error below zero.
int64_t numberOf(const File &Of, int Flags) {
  auto Entry = Files.find(Of);
  if (Entry == Files.end() && !(Flags & O_CREAT))
    return -EAGAIN;
  if (Entry != Files.end() && Flags & O_EXCL)
    return -EINVAL;
  if (Entry == Files.end())
    Entry = Files.try_emplace(Of, ++LastNumber, 0).first;
  ++Entry->second.second;
  return Entry->second.first;
}

void forgetFile(XrcDomain *X) {
  auto Of = FileOf.find(X);
  if (Of == FileOf.end())
    return;
  if (auto Entry = Files.find(Of->second); --Entry->second.second == 0)
    Files.erase(Entry);
  FileOf.erase(Of);
}

template <typename T> T *failed(int Error) {
  errno = Error;
  return nullptr;
}

} // namespace

ibv_xrcd *openXrcDomain(ibv_context *Public, ibv_xrcd_init_attr *Init) {
  constexpr uint32_t Needed = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
  if (Init->comp_mask != Needed)
    return failed<ibv_xrcd>(EINVAL);
  struct stat Is = {};
  if (Init->fd >= 0 && fstat(Init->fd, &Is))
    return nullptr;
  if (Init->fd < 0 && !(Init->oflags & O_CREAT))
    return failed<ibv_xrcd>(EAGAIN);
  std::lock_guard Guard(FilesLock);
  File Of = {&nodeOf(Public), Is.st_dev, Is.st_ino};
  int64_t Number = Init->fd < 0 ? ++LastNumber : numberOf(Of, Init->oflags);
  if (Number < 0)
    return failed<ibv_xrcd>(static_cast<int>(-Number));
  auto *X = new XrcDomain;
  X->Base.context = Public;
  X->Number = static_cast<uint32_t>(Number);
  if (Init->fd >= 0)
    FileOf[X] = Of;
  return &X->Base;
}

int closeXrcDomain(ibv_xrcd *Xrcd) {
  XrcDomain *X = XrcDomain::of(Xrcd);
  if (X->Users)
    return EBUSY;
  std::lock_guard Guard(FilesLock);
  forgetFile(X);
  delete X;
  return 0;
}

ibv_srq *createExtended(ibv_context *Public, ibv_srq_init_attr_ex *Init) {
  constexpr uint32_t Known =
      IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
  auto given = [&](uint32_t Bit, const void *What) { return Init->comp_mask & Bit && What; };
  ibv_srq_type Type = Init->comp_mask & IBV_SRQ_INIT_ATTR_TYPE ? Init->srq_type : IBV_SRQT_BASIC;
  if (Init->comp_mask & ~Known || (Type != IBV_SRQT_BASIC && Type != IBV_SRQT_XRC))
    return failed<ibv_srq>(EOPNOTSUPP);
  bool IsXrc = Type == IBV_SRQT_XRC;
  Node &N = nodeOf(Public);
  if (!given(IBV_SRQ_INIT_ATTR_PD, Init->pd) ||
      (IsXrc && (!given(IBV_SRQ_INIT_ATTR_XRCD, Init->xrcd) || !given(IBV_SRQ_INIT_ATTR_CQ, Init->cq) ||
                 Init->cq->context != Public)) ||
      Init->pd->context != Public)
    return failed<ibv_srq>(EINVAL);
  SharedReceives *S = createSharedReceives(Init->pd, Init->attr, Init->srq_context);
  if (!S || !IsXrc)
    return S ? &S->Base : nullptr;
  S->Xrc = XrcDomain::of(Init->xrcd);
  S->Completions = CompletionQueue::of(Init->cq);
  S->Xrc->Users++;
  S->Completions->Users++;
  SharedReceiveQueue &Q = N.segment().ReceiveQueues[S->Index];
  Q.Completions = S->Completions->Index;
  QueueGuard Guard(N.segment(), Q);
  Q.XrcDomain = S->Xrc->Number; // from now on it is found
  return &S->Base;
}

int numberOf(ibv_srq *Srq, uint32_t *Number) {
  *Number = SharedReceives::of(Srq)->Index;
  return 0;
}

ibv_qp *openQueuePair(ibv_context *Public, ibv_qp_open_attr *Attr) {
  constexpr uint32_t Needed = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE;
  if ((Attr->comp_mask & Needed) != Needed || Attr->comp_mask & ~(Needed | IBV_QP_OPEN_ATTR_CONTEXT) ||
      !Attr->xrcd || Attr->qp_type != IBV_QPT_XRC_RECV)
    return failed<ibv_qp>(EINVAL);
  QueuePair *Q = nodeOf(Public).LocalQueuePairs[queuePairIndex(Attr->qp_num)];
  if (!Q || Q->number() != Attr->qp_num) {
    fprintf(
        stderr,
        "rdma: ibv_open_qp: no queue pair %u in this process; those of other processes are not shared by the "
        "emulated device\n",
        Attr->qp_num);
    return failed<ibv_qp>(EINVAL);
  }
  if (Q->Shared->XrcDomain != XrcDomain::of(Attr->xrcd)->Number)
    return failed<ibv_qp>(EINVAL);
  ++Q->Opened;
  return Q->qp();
}

} // namespace rdma::device
