// Extended completion queues: ibv_start_poll, ibv_next_poll and the calls that read the current completion.
#include "runtime/device/Context.h"
#include "runtime/device/Link.h"
#include "runtime/device/Underway.h"
#include "runtime/device/Weak.h"

#include <ctime>

namespace rdma::device {

namespace {

CompletionQueue &of(ibv_cq_ex *Cq) { return *CompletionQueue::of(ibv_cq_ex_to_cq(Cq)); }
const ibv_wc &current(ibv_cq_ex *Cq) { return of(Cq).Current.Wc; }

int nextPoll(ibv_cq_ex *Cq) {
  if (WeakScheduler *Scheduler = WeakScheduler::get())
    Scheduler->call();
  CompletionQueue &C = of(Cq);
  link::progress();
  if (check::Enabled) [[unlikely]]
    check::passed(check::PollCall);
  if (int Error = C.take())
    return Error;
  Cq->wr_id = C.Current.Wc.wr_id;
  Cq->status = C.Current.Wc.status;
  return 0;
}

/// One thread polls from here to the end; not when there is nothing, or an error.
int startPoll(ibv_cq_ex *Cq, ibv_poll_cq_attr *Attr) {
  if (Attr->comp_mask)
    return EINVAL;
  of(Cq).Session.lock();
  int Error = nextPoll(Cq);
  if (Error)
    of(Cq).Session.unlock();
  return Error;
}

void endPoll(ibv_cq_ex *Cq) { of(Cq).Session.unlock(); }

ibv_wc_opcode readOpcode(ibv_cq_ex *Cq) { return current(Cq).opcode; }
uint32_t readVendorError(ibv_cq_ex *Cq) { return current(Cq).vendor_err; }
uint32_t readByteCount(ibv_cq_ex *Cq) { return current(Cq).byte_len; }
__be32 readImm(ibv_cq_ex *Cq) { return current(Cq).imm_data; }
uint32_t readQueuePair(ibv_cq_ex *Cq) { return current(Cq).qp_num; }
uint32_t readSource(ibv_cq_ex *Cq) { return current(Cq).src_qp; }
unsigned readFlags(ibv_cq_ex *Cq) { return current(Cq).wc_flags; }
uint32_t readLid(ibv_cq_ex *Cq) { return current(Cq).slid; }
uint8_t readServiceLevel(ibv_cq_ex *Cq) { return current(Cq).sl; }
uint8_t readPathBits(ibv_cq_ex *Cq) { return current(Cq).dlid_path_bits; }
uint64_t readTime(ibv_cq_ex *Cq) { return of(Cq).Current.Time; }

/// The same on the clock of the wall.
uint64_t readWallTime(ibv_cq_ex *Cq) {
  timespec Now;
  clock_gettime(CLOCK_REALTIME, &Now);
  uint64_t Wall = static_cast<uint64_t>(Now.tv_sec) * 1000000000 + static_cast<uint64_t>(Now.tv_nsec);
  return Wall - (deviceTime() - readTime(Cq));
}

void fillCalls(ibv_cq_ex &Q) {
  Q.start_poll = startPoll;
  Q.next_poll = nextPoll;
  Q.end_poll = endPoll;
  Q.read_opcode = readOpcode;
  Q.read_vendor_err = readVendorError;
  Q.read_byte_len = readByteCount;
  Q.read_imm_data = readImm;
  Q.read_qp_num = readQueuePair;
  Q.read_src_qp = readSource;
  Q.read_wc_flags = readFlags;
  Q.read_slid = readLid;
  Q.read_sl = readServiceLevel;
  Q.read_dlid_path_bits = readPathBits;
  Q.read_completion_ts = readTime;
  Q.read_completion_wallclock_ns = readWallTime;
}

} // namespace

uint64_t deviceTime() {
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return static_cast<uint64_t>(Now.tv_sec) * 1000000000 + static_cast<uint64_t>(Now.tv_nsec);
}

int queryTime(ibv_context *, ibv_values_ex *Values) {
  if (Values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK)
    clock_gettime(CLOCK_MONOTONIC, &Values->raw_clock);
  Values->comp_mask &= IBV_VALUES_MASK_RAW_CLOCK;
  return 0;
}

ibv_cq_ex *createExtended(ibv_context *Public, ibv_cq_init_attr_ex *Init) {
  constexpr uint64_t Times =
      IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
  constexpr uint64_t Readable = uint64_t(IBV_WC_STANDARD_FLAGS) | Times;
  bool OtherFlags = Init->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
                    Init->flags & ~static_cast<uint32_t>(IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
  if (Init->comp_mask & ~static_cast<uint32_t>(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD) ||
      Init->wc_flags & ~Readable || OtherFlags) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  ibv_cq *Cq = ibv_create_cq(Public, static_cast<int>(Init->cqe), Init->cq_context, Init->channel,
                             static_cast<int>(Init->comp_vector));
  if (!Cq)
    return nullptr;
  CompletionQueue &C = *CompletionQueue::of(Cq);
  C.Shared->WithTime = Init->wc_flags & Times;
  fillCalls(C.Base);
  return &C.Base;
}

} // namespace rdma::device
