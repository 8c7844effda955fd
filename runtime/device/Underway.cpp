#include "runtime/device/Underway.h"

#include "runtime/device/Check.h"
#include "runtime/device/Mappings.h"
#include "runtime/device/QueuePair.h"
#include "runtime/device/Settings.h"
#include "runtime/device/Tsan.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace rdma::device::check {

namespace {

constexpr uint64_t MostTold = 4096; ///< bytes of one WRITE, lest long ones cost the program too much

bool isUnderWay(uint32_t Version) { return Version & 1; }

/// Whoever reads these bytes may see what is under way to them.
void forgetSeen(SharedSegment &Target, uint64_t Address, uint64_t Length) {
  for (uint32_t I = 0, End = Target.QueuePairsEnd; I < End; ++I) {
    SharedUnderway &U = Target.QueuePairs[I].Underway;
    uint32_t Version = U.Version.load(std::memory_order_acquire);
    if (isUnderWay(Version) && U.Address < Address + Length && Address < U.Address + U.Length)
      U.Version.compare_exchange_strong(Version, Version + 1);
  }
}

struct Frames {
  uint32_t Count = 0;
  SharedPlace At[MostFrames] = {};
};

/// What lies in no file has no inode.
Frames find(const Stack &At) {
  Frames Found = {static_cast<uint32_t>(std::min<size_t>(At.size(), MostFrames)), {}};
  forEachMapping([&](const Mapping &M) {
    for (uint32_t I = 0; I < Found.Count; ++I)
      if (auto Pc = reinterpret_cast<uint64_t>(At[I]); M.Begin <= Pc && Pc < M.End)
        Found.At[I] = {M.Inode, Pc - M.Begin + M.Offset};
  });
  return Found;
}

/// Of a place that posts; looked for once.
const Frames &framesOf(const Stack &At) {
  static std::mutex Lock;
  static auto *Known = new std::map<const Stack *, Frames>; // threads may still run when the process exits
  std::lock_guard Guard(Lock);
  auto [Found, IsNew] = Known->try_emplace(&At);
  if (IsNew)
    Found->second = find(At);
  return Found->second;
}

void note(SharedUnderway &U, const Request &R, const Bytes &There, const Stack &At) {
  U.Pid = processId();
  U.Key = R.Rkey;
  U.Address = There.Address;
  U.Length = R.Length;
  U.IsSum = isSum(R.Opcode);
  if (auto Id = reinterpret_cast<uint64_t>(&At); U.Stack != Id || U.StackOf != U.Pid) {
    const Frames &Found = framesOf(At);
    U.FrameCount = Found.Count;
    std::copy_n(Found.At, Found.Count, U.Frames);
    U.Stack = Id;
    U.StackOf = U.Pid;
  }
  U.Version.fetch_add(1);
}

/// The return addresses of another process, where this one has loaded the same files.
struct Places {
  uint32_t Count = 0;
  uint64_t Pc[MostFrames] = {};

  void find(const Frames &There);
};

void Places::find(const Frames &There) {
  std::fill_n(Pc, MostFrames, 0);
  forEachMapping([&](const Mapping &M) {
    for (uint32_t I = 0; I < There.Count; ++I)
      if (uint64_t At = There.At[I].Offset; M.Inode && M.Inode == There.At[I].Inode && M.Offset <= At &&
                                            M.Protection & PROT_EXEC && At < M.Offset + (M.End - M.Begin))
        Pc[I] = At - M.Offset + M.Begin;
  });
  Count = static_cast<uint32_t>(std::remove(Pc, Pc + MostFrames, 0) - Pc);
}

/// A note that was seen at an earlier call.
struct Sighting {
  const SharedUnderway *Note = nullptr;
  uint32_t Version = 0; ///< 0: none
  uint32_t Pid = 0, Key = 0;
  bool IsSum = false;
  uint64_t Address = 0, Length = 0;
  uint64_t Stack = 0; ///< and the process that the places are of
  uint32_t StackOf = 0;
  Places At;
  int LastCall = 0;
  uint32_t Repeated = 0;
  void *Task = nullptr;
  uint64_t Told = 0; ///< its address stands for what was told
};

/// What the one thread of the program has seen. Takes no memory: the program may call from the handler of a
/// signal.
class Watch {
public:
  void pass(int Call);

private:
  bool isAlone();
  Sighting *of(const SharedUnderway &Note);
  void begin(Sighting &S, SharedUnderway &U, uint32_t Version);
  void tell(Sighting &S);
  static bool isDue(Sighting &S, int Call);
  static bool stillHas(Node &N, const Sighting &S);

  static constexpr size_t MostSeen = 256; ///< queue pairs; others are not looked at
  uint32_t Pid = 0;                       ///< the process; a child begins anew
  bool Looking = false;
  void *Program = nullptr;
  uint64_t Before = 0; ///< its address stands for what the program has done
  Sighting Seen[MostSeen];
};

std::atomic<uint32_t> ThreadsOf{0}, Threads{0};
bool TellsThreads = false; ///< what rdma-run preloads does

/// Than this thread and that of the device.
bool hasOthers() {
  uint32_t Started = ThreadsOf == processId() ? Threads.load() : 0;
  return Started > (Service::isRunning() ? 1u : 0u);
}

bool Watch::isAlone() {
  const Tsan &T = *Tsan::get();
  if (Pid != processId()) {
    Pid = processId();
    Program = T.current();
    std::fill_n(Seen, MostSeen, Sighting());
  }
  return hasOneThread();
}

Sighting *Watch::of(const SharedUnderway &Note) {
  auto Known =
      std::find_if(Seen, Seen + MostSeen, [&](const Sighting &S) { return !S.Note || S.Note == &Note; });
  if (Known == Seen + MostSeen)
    return nullptr;
  Known->Note = &Note;
  return Known;
}

void Watch::begin(Sighting &S, SharedUnderway &U, uint32_t Version) {
  const Tsan &T = *Tsan::get();
  bool IsSame = S.Stack == U.Stack && S.StackOf == U.Pid;
  Frames There = {std::min(U.FrameCount, MostFrames), {}};
  std::copy_n(U.Frames, There.Count, There.At);
  S.Pid = U.Pid, S.Key = U.Key, S.IsSum = U.IsSum, S.Address = U.Address, S.Length = U.Length;
  S.Stack = U.Stack, S.StackOf = U.Pid;
  S.Version = U.Version.load() == Version ? Version : 0;
  if (!S.Version) {
    S.Stack = 0;
    return;
  }
  if (!IsSame)
    S.At.find(There);
  S.Repeated = 0;
  if (!S.Task)
    S.Task = T.create(0);
  T.name(S.Task, S.IsSum ? "NIC: atomics of another process" : "NIC: WRITEs of another process");
  T.release(&Before);
  T.switchTo(S.Task, Tsan::Unordered);
  T.acquire(&Before);
  if (!acquireEveryTask())
    S.Version = 0;
  T.switchTo(Program, Tsan::Unordered);
}

/// In a loop that calls the same again and again each time is worth less.
bool Watch::isDue(Sighting &S, int Call) {
  S.Repeated = std::exchange(S.LastCall, Call) == Call ? S.Repeated + 1 : 1;
  return std::has_single_bit(S.Repeated);
}

bool Watch::stillHas(Node &N, const Sighting &S) {
  const SharedRegion &R = N.segment().Regions[regionIndex(S.Key)];
  return R.Key == S.Key && S.Address >= R.Address && S.Address + S.Length <= R.Address + R.Length &&
         !processGone(S.Pid);
}

void Watch::tell(Sighting &S) {
  const Tsan &T = *Tsan::get();
  T.switchTo(S.Task, Tsan::Unordered);
  uint64_t End = acquireEveryTask() ? S.Address + std::min(S.Length, MostTold) : 0;
  uint32_t Innermost = S.IsSum ? 1 : 0; // a plain read takes its own place
  for (uint32_t I = S.At.Count; I > Innermost; --I)
    T.enter(reinterpret_cast<void *>(S.At.Pc[I - 1]));
  if (S.IsSum && End) // it reads what it adds to
    T.read(reinterpret_cast<void *>(S.Address), S.Length, reinterpret_cast<void *>(S.At.Pc[0]));
  for (uint64_t At = S.Address, Size; !S.IsSum && At < End; At += Size) {
    Size = At % 8 == 0 && End - At >= 8 ? 8 : 1;
    T.addNothing(reinterpret_cast<void *>(At), Size, Tsan::Relaxed);
  }
  for (uint32_t I = S.At.Count; I > Innermost; --I)
    T.leave();
  T.release(&S.Told);
  T.switchTo(Program, Tsan::Unordered);
  T.acquire(&S.Told);
}

/// Calls Visit with each note of a WRITE that is under way, and its version.
template <typename Visitor> void forEachUnderWay(Visitor Visit) {
  for (unsigned Device = 0; Device < Settings::get().Nodes; ++Device)
    if (Node *N = Node::joined(Device))
      for (uint32_t I = 0, End = N->segment().QueuePairsEnd; I < End; ++I) {
        SharedUnderway &U = N->segment().QueuePairs[I].Underway;
        if (uint32_t Version = U.Version.load(std::memory_order_acquire); isUnderWay(Version))
          Visit(*N, U, Version);
      }
}

void Watch::pass(int Call) {
  if (Looking) // the device's own calls meanwhile
    return;
  Looking = true;
  std::atomic_thread_fence(std::memory_order_seq_cst); // what the program has touched, it has touched before
  forEachUnderWay([&](Node &N, SharedUnderway &U, uint32_t Version) {
    if (!isAlone())
      return;
    Sighting *S = of(U);
    if (S && S->Version != Version)
      begin(*S, U, Version);
    else if (S && isDue(*S, Call) && stillHas(N, *S) && U.Version == Version)
      tell(*S);
  });
  Looking = false;
}

/// Where a process has one thread it is this.
bool isFirstThread() {
  [[gnu::tls_model("initial-exec")]] static thread_local uint32_t Of = 0;
  [[gnu::tls_model("initial-exec")]] static thread_local bool Is = false;
  if (Of != processId()) {
    Of = processId();
    Is = syscall(SYS_gettid) == getpid(); // in a PID namespace this is not the id that others know
  }
  return Is;
}

} // namespace

bool hasOneThread() {
  static uint32_t Of = 0;
  static void *First = nullptr;
  static bool HasTasks = false; // of its own: such a program is not understood
  if (!TellsThreads || hasOthers())
    return false;
  void *Current = Tsan::get()->current();
  if (Of != processId()) {
    Of = processId();
    First = Current;
    HasTasks = false;
  }
  HasTasks = HasTasks || Current != First;
  return !HasTasks;
}

void forgetUnderway(SharedQueuePair &There) {
  uint32_t Version = There.Underway.Version;
  if (isUnderWay(Version))
    There.Underway.Version.compare_exchange_strong(Version, Version + 1);
}

void postedTo(QueuePair &Qp, const Request &R, SharedQueuePair &Remote, const Bytes &There, const Stack &At) {
  forgetUnderway(Remote);
  if (!There)
    return;
  if (!isPut(R.Opcode))
    forgetSeen(Qp.Target->segment(), There.Address, R.Length);
  bool MayTell = R.Opcode == IBV_WR_RDMA_WRITE && !isWord(There.Address, R.Length);
  if (MayTell && Qp.isReliable() && !Qp.Target->isSelf() && !Settings::get().Ordered)
    note(Remote.Underway, R, There, At);
}

void holdSum(QueuePair &Qp, const Request &R, SharedQueuePair &Remote, const Bytes &There, const Stack &At) {
  if (!isSum(R.Opcode) || !There || Qp.Target->isSelf() || Qp.state() != IBV_QPS_RTS || R.Length != 8)
    return;
  note(Remote.Underway, R, There, At);
  timespec Time = {0, 2'000'000};
  syscall(SYS_nanosleep, &Time, nullptr); // not as a call of the program, after which it would look
  forgetUnderway(Remote);
}

void passed(int Call) {
  if (!Enabled || !Tsan::get())
    return;
  bool Any = false;
  forEachUnderWay([&](Node &, SharedUnderway &, uint32_t) { Any = true; });
  if (!Any || !isFirstThread())
    return;
  static constinit Watch The;
  int Error = errno;
  The.pass(Call);
  errno = Error;
}

} // namespace rdma::device::check

extern "C" {

/// What rdma-run preloads in a run that is checked: the program makes this call of the kernel, or is back.
void rdma_emulated_passed(int Call) { rdma::device::check::passed(Call); }

/// It is there.
void rdma_emulated_watched() { rdma::device::check::TellsThreads = true; }

/// A thread is about to be started, the device's own too.
void rdma_emulated_thread() {
  using namespace rdma::device;
  if (check::ThreadsOf.exchange(processId()) != processId())
    check::Threads = 0;
  ++check::Threads;
}
}
