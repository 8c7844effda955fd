#include "runtime/device/Check.h"

#include "runtime/device/QueuePair.h"
#include "runtime/device/Settings.h"
#include "runtime/device/Tsan.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>

namespace rdma::device::check {

// Not by the settings, which a program may still change before it opens a device.
const bool Enabled = getenv("RDMA_CHECK") != nullptr;

namespace {

const void *ownBase() {
  static Dl_info Info = {};
  if (!Info.dli_fbase)
    dladdr(reinterpret_cast<const void *>(&callers), &Info);
  return Info.dli_fbase;
}

bool isOwn(void *Pc) {
  Dl_info Info;
  return dladdr(Pc, &Info) && Info.dli_fbase == ownBase();
}

std::vector<ibv_sge> rangesOf(const Request &R) {
  std::vector<ibv_sge> Ranges(R.Sges, R.Sges + R.SgeCount);
  std::erase_if(Ranges, [](const ibv_sge &S) { return !S.length; });
  return Ranges;
}

/// The accesses of one task, as if made where the request was posted.
void access(void *Task, bool Writes, const std::vector<ibv_sge> &Ranges, const Stack &At) {
  const Tsan &T = *Tsan::get();
  T.switchTo(Task, Tsan::Synchronize);
  for (size_t I = At.size(); I > 1; --I)
    T.enter(At[I - 1]);
  void *Pc = At.empty() ? nullptr : At[0];
  for (const ibv_sge &S : Ranges)
    (Writes ? T.write : T.read)(reinterpret_cast<void *>(S.addr), S.length, Pc);
  for (size_t I = At.size(); I > 1; --I)
    T.leave();
}

char &tagOf(Tasks &Of, uint32_t Position) { return Of.Tags[Position % Of.Tags.size()]; }

/// The end of the request at this position: all before it have ended too.
void end(Tasks &Of, uint32_t Position) {
  const Tsan &T = *Tsan::get();
  T.switchTo(Of.Done, Tsan::Unordered);
  T.acquire(&Of.ReadsOrder);
  T.acquire(&Of.WritesOrder);
  T.release(&tagOf(Of, Position));
}

void begin(Tasks &Of, const char *Reads, const char *Writes) {
  if (Of.Done)
    return;
  const Tsan &T = *Tsan::get();
  Of.Reads = T.create(0), Of.Writes = T.create(0), Of.Done = T.create(0);
  T.name(Of.Reads, Reads);
  T.name(Of.Writes, Writes);
  T.name(Of.Done, "NIC: completions");
}

/// Tells of a request of a queue pair. Comes back on the caller's own task.
void tell(Tasks &Of, const Request &R, const Stack &At) {
  const Tsan &T = *Tsan::get();
  std::vector<ibv_sge> Ranges = rangesOf(R);
  begin(Of, "NIC: reads of sources", "NIC: writes of results");
  void *Program = T.current();
  bool IsInline = R.Flags & IBV_SEND_INLINE;
  if (R.Flags & IBV_SEND_FENCE) {
    T.switchTo(Of.Reads, Tsan::Synchronize);
    T.acquire(&Of.WritesOrder);
    T.switchTo(Program, Tsan::Unordered);
  }
  if (isPut(R.Opcode) && !IsInline) {
    access(Of.Reads, false, Ranges, At);
    T.release(&Of.ReadsOrder);
  } else if (!isPut(R.Opcode)) {
    T.switchTo(Of.Writes, Tsan::Synchronize);
    T.acquire(&Of.ReadsOrder);
    T.switchTo(Program, Tsan::Unordered);
    access(Of.Writes, true, Ranges, At);
    T.release(&Of.WritesOrder);
  }
  end(Of, R.Position);
  T.switchTo(Program, Tsan::Unordered);
}

} // namespace

Stack callers() {
  void *All[24];
  Stack Found(All, All + backtrace(All, 24));
  // Above the device may stand a sanitizer's own backtrace.
  auto Last = std::find_if(Found.rbegin(), Found.rend(), isOwn);
  Found.erase(Found.begin(), Last.base());
  return Found;
}

Tasks::~Tasks() {
  if (const Tsan *T = Tsan::get())
    for (void *Task : {Reads, Writes, Done})
      if (Task)
        T->destroy(Task);
}

void posted(QueuePair &Qp, const Request &R) {
  if (!Qp.Checked)
    Qp.Checked = std::make_unique<Tasks>();
  Outstanding O = {R.Position, R.Opcode, R.Signaled, {}, callers()};
  if (!(R.Flags & IBV_SEND_INLINE))
    for (const ibv_sge &S : rangesOf(R))
      O.Keys.push_back(S.lkey);
  if (Tsan::get())
    tell(*Qp.Checked, R, O.PostedAt);
  Qp.Checked->Open.push_back(std::move(O));
}

void taken(QueuePair &Qp, uint32_t Position) {
  std::lock_guard Guard(Qp.Lock);
  if (!Qp.Checked)
    return;
  std::deque<Outstanding> &Open = Qp.Checked->Open;
  while (!Open.empty() && static_cast<int32_t>(Open.front().Position - Position) <= 0)
    Open.pop_front();
  if (const Tsan *T = Tsan::get())
    T->acquire(&tagOf(*Qp.Checked, Position));
}

void receivePosted(Tasks &Of, uint32_t Position, const ibv_recv_wr &Wr) {
  const Tsan *T = Tsan::get();
  if (!T)
    return;
  std::vector<ibv_sge> Ranges(Wr.sg_list, Wr.sg_list + Wr.num_sge);
  std::erase_if(Ranges, [](const ibv_sge &S) { return !S.length; });
  begin(Of, "NIC: receives", "NIC: writes of messages");
  Stack At = callers();
  void *Program = T->current();
  access(Of.Writes, true, Ranges, At);
  T->release(&tagOf(Of, Position));
  T->switchTo(Program, Tsan::Unordered);
}

void receiveTaken(Tasks &Of, uint32_t Position) {
  if (const Tsan *T = Tsan::get())
    T->acquire(&tagOf(Of, Position));
}

} // namespace rdma::device::check
