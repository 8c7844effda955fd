// Runs a generated program under many schedules of the emulated device: PROGRAM SCHEDULE FIRST COUNT
// MILLISECONDS
//
// Prints a line for each seed: `7: u=1 v=0 r1=1`, the final values, when nothing is under way any more. A run
// that does not end in so many milliseconds is the last: `7: no end: poll`, and who was there: a poll of the
// program, a wait that was inserted, a spin. Every completion that the device hands out must reach the
// program's polls, in order, or be there in the end, and none but the program's: else `7: lost: ...` is the
// last line.
#define DRIVES
#include "Drive.h"

#include "runtime/include/rdma/emulated.h"
#include "test/unit/runtime/Verbs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

extern char __data_start[], _end[]; // of the linker: all variables

using namespace rdma::test;
using Clock = std::chrono::steady_clock;

namespace {

constexpr unsigned Stacks = 32, StackSize = 128 << 10;
constexpr uint64_t OwnIds = 1 << 20, Flushing = ~uint64_t(0);
alignas(4096) char StackMemory[Stacks][StackSize];
uint64_t Heap[1024], Scratch;

std::atomic<unsigned> UsedStacks, UsedHeap, Ended;
std::atomic<Clock::rep> LastPoll, LastLook; ///< of the program; of anybody

struct Random {
  uint64_t State;
  unsigned Children = 0;
  uint64_t next() { return (State = State * 6364136223846793005u + 1442695040888963407u) >> 33; }
};
thread_local Random Dice;

/// What the device handed out of a completion queue, as the numbers of the program's requests.
struct Queue {
  std::mutex Lock;
  std::vector<uint64_t> Delivered;
  std::size_t Taken = 0, Posted = 0;
};
std::vector<std::pair<ibv_cq *, Queue *>> Queues;
std::atomic<uint64_t> Number;
std::atomic<const char *> Wrong;

Queue &of(const ibv_cq *Cq) {
  return *std::find_if(Queues.begin(), Queues.end(), [=](const auto &Q) { return Q.first == Cq; })->second;
}

int (*DevicePost)(ibv_qp *, ibv_send_wr *, ibv_send_wr **);
int (*DevicePoll)(ibv_cq *, int, ibv_wc *);

/// The program says 0 or 7; each request gets a number of its own.
int post(ibv_qp *Qp, ibv_send_wr *List, ibv_send_wr **Bad) {
  std::vector<std::pair<ibv_send_wr *, uint64_t>> Own;
  for (ibv_send_wr *Wr = List; Wr; Wr = Wr->next)
    if (Wr->wr_id == 0 || Wr->wr_id == 7) {
      Own.push_back({Wr, Wr->wr_id});
      Wr->wr_id = 8 + Number++;
      Queue &Q = of(Qp->send_cq);
      std::lock_guard Held(Q.Lock);
      Q.Posted += (Wr->send_flags & IBV_SEND_SIGNALED) != 0;
    }
  int Error = DevicePost(Qp, List, Bad);
  for (auto [Wr, Id] : Own)
    Wr->wr_id = Id;
  return Error;
}

int poll(ibv_cq *Cq, int Count, ibv_wc *Wc) {
  Queue &Q = of(Cq);
  std::lock_guard Held(Q.Lock);
  int Found = DevicePoll(Cq, Count, Wc);
  LastLook = Clock::now().time_since_epoch().count();
  for (int I = 0; I < Found; ++I) {
    if (Wc[I].status != IBV_WC_SUCCESS)
      Wrong = "a request failed";
    if (Wc[I].wr_id < OwnIds)
      Q.Delivered.push_back(Wc[I].wr_id);
  }
  return Found;
}

struct Link {
  ibv_qp *Near, *Far;
};

class Fabric {
public:
  explicit Fabric(const struct drive_program &P) : P(P) {
    setenv("RDMA_NODES", std::to_string(P.nodes).c_str(), 1);
    setenv("RDMA_FABRIC", ("drive-" + std::to_string(getpid())).c_str(), 1);
    for (int N = 0; N < P.nodes; ++N) {
      Devices.push_back(std::make_unique<Device>(16, N));
      ibv_context *Context = Devices.back()->Context;
      DevicePost = Context->ops.post_send, DevicePoll = Context->ops.poll_cq;
      Context->ops.post_send = post, Context->ops.poll_cq = poll;
      auto Begin = reinterpret_cast<uintptr_t>(__data_start) & ~uintptr_t(4095);
      auto End = (reinterpret_cast<uintptr_t>(_end) + 4095) & ~uintptr_t(4095);
      Regions.push_back(Devices.back()->offer(reinterpret_cast<void *>(Begin), End - Begin));
    }
    for (int Q = 0; Q < P.pairs; ++Q)
      connectPair(Q);
  }

  void restart(uint64_t Seed) {
    rdma_emulated_restart(Seed);
    for (int W = 0; W < P.words; ++W)
      memcpy(P.word[W].at, &P.word[W].initial, 8);
    for (auto &[Cq, Q] : Queues)
      Q->Delivered.clear(), Q->Taken = Q->Posted = 0;
    for (int Q = 0; Q < P.pairs; ++Q)
      P.set_end(Q, Links[Q].Near, Links[P.pair[Q].queue].Near->send_cq, Regions[P.pair[Q].home]->lkey,
                Regions[P.pair[Q].target]->rkey);
    UsedStacks = UsedHeap = Ended = 0;
    Number = 0;
    Wrong = nullptr;
  }

  /// A READ behind everything else; what the program left in the queue comes before it.
  void settle() {
    for (int Q = 0; Q < P.pairs; ++Q) {
      ibv_sge Sge = {reinterpret_cast<uint64_t>(&Scratch), 8, Regions[P.pair[Q].home]->lkey};
      ibv_send_wr Wr = {}, *Bad;
      Wr.wr_id = Flushing;
      Wr.opcode = IBV_WR_RDMA_READ;
      Wr.send_flags = IBV_SEND_SIGNALED;
      Wr.sg_list = &Sge;
      Wr.num_sge = 1;
      Wr.wr.rdma.remote_addr = reinterpret_cast<uint64_t>(&Scratch);
      Wr.wr.rdma.rkey = Regions[P.pair[Q].target]->rkey;
      CHECK(ibv_post_send(Links[Q].Near, &Wr, &Bad) == 0);
      ibv_wc Wc = {};
      do {
        rdma_emulated_pass(1 << 16);
        Wc.wr_id = 0;
        drive_poll(Links[Q].Near->send_cq, 1, &Wc);
      } while (Wc.wr_id != Flushing);
    }
    for (auto &[Cq, Q] : Queues)
      if (Q->Taken != Q->Posted)
        Wrong = "a completion has not come";
  }

private:
  void connectPair(int Q) {
    const drive_pair &Pair = P.pair[Q];
    const Device &Here = *Devices[Pair.home], &There = *Devices[Pair.target];
    ibv_cq *Cq = Pair.queue == Q ? ibv_create_cq(Here.Context, 1024, nullptr, nullptr, 0)
                                 : Links[Pair.queue].Near->send_cq;
    if (Pair.queue == Q)
      Queues.push_back({Cq, new Queue});
    ibv_qp_init_attr Init = {};
    Init.send_cq = Init.recv_cq = Cq;
    Init.qp_type = IBV_QPT_RC;
    Init.cap = {256, 1, 1, 1, 64};
    Link L = {ibv_create_qp(Here.Domain, &Init), There.queuePair(1)};
    CHECK(L.Near);
    Address Near = addressOf(Here, L.Near, nullptr), Far = addressOf(There, L.Far, nullptr);
    connect(L.Far, Near);
    connect(L.Near, Far);
    Links.push_back(L);
  }

  const struct drive_program &P;
  std::vector<std::unique_ptr<Device>> Devices;
  std::vector<ibv_mr *> Regions;
  std::vector<Link> Links;
};

struct Start {
  void *(*Function)(void *);
  void *Argument;
  uint64_t Seed;
};

void *begin(void *Of) {
  Start S = *static_cast<Start *>(Of);
  delete static_cast<Start *>(Of);
  Dice = {S.Seed};
  Dice.next();
  return S.Function(S.Argument);
}

/// Where it goes on for less than this it is there.
constexpr auto Recent = std::chrono::milliseconds(20);

const char *whoWaits() {
  auto IsRecent = [](Clock::rep When) {
    return Clock::now().time_since_epoch().count() - When < Clock::duration(Recent).count();
  };
  return IsRecent(LastPoll) ? "poll" : IsRecent(LastLook) ? "wait" : "spin";
}

/// Who does not end is left alone.
bool run(const struct drive_program &P, uint64_t Seed, std::chrono::milliseconds Limit) {
  std::mt19937_64 Bits(Seed);
  Dice = {Seed};
  std::vector<pthread_t> Threads(P.functions);
  for (int F = 0; F < P.functions; ++F) {
    auto Function = [](void *Of) -> void * {
      reinterpret_cast<void (*)(void)>(Of)();
      ++Ended;
      return nullptr;
    };
    drive_thread(&Threads[F], Function, reinterpret_cast<void *>(P.function[F]));
    for (uint64_t Pause = Bits() % 4 ? Bits() % 64 : Bits() % 4096; Pause > 0; --Pause)
      asm volatile("");
  }
  auto Begin = Clock::now();
  while (Ended < unsigned(P.functions)) {
    rdma_emulated_pass(Bits() % 8 ? Bits() % 8 : Bits() % 1024);
    sched_yield();
    if (Clock::now() - Begin > Limit)
      return false;
  }
  for (pthread_t T : Threads)
    pthread_join(T, nullptr);
  return true;
}

} // namespace

int drive_poll(ibv_cq *Cq, int Count, ibv_wc *Wc) {
  static std::mutex OneByOne;
  std::lock_guard Held(OneByOne);
  int Found = ibv_poll_cq(Cq, Count, Wc);
  LastPoll = Clock::now().time_since_epoch().count();
  Queue &Q = of(Cq);
  std::lock_guard Seen(Q.Lock);
  for (int I = 0; I < Found; ++I)
    if (Wc[I].wr_id != Flushing && (Q.Taken >= Q.Delivered.size() || Q.Delivered[Q.Taken++] != Wc[I].wr_id))
      Wrong = "a completion is not the one that was to come";
  return Found;
}

int drive_rand() { return static_cast<int>(Dice.next() % 8); }

void *drive_malloc(size_t) { return &Heap[UsedHeap++]; }

int drive_thread(pthread_t *Thread, void *(*Function)(void *), void *Argument) {
  pthread_attr_t With;
  pthread_attr_init(&With);
  pthread_attr_setstack(&With, StackMemory[UsedStacks++], StackSize);
  uint64_t Seed = Dice.State * 31 + ++Dice.Children;
  return pthread_create(Thread, &With, begin, new Start{Function, Argument, Seed});
}

int main(int Count, char **Words) {
  CHECK(Count == 5);
  setenv("RDMA_SCHEDULE", Words[1], 1);
  uint64_t First = strtoull(Words[2], nullptr, 10), Seeds = strtoull(Words[3], nullptr, 10);
  std::chrono::milliseconds Limit(strtoull(Words[4], nullptr, 10));
  Fabric F(drive_program);
  for (uint64_t Seed = First; Seed < First + Seeds; ++Seed) {
    F.restart(Seed);
    printf("%lu: ", Seed);
    if (!run(drive_program, Seed, Limit)) {
      printf("no end: %s\n", whoWaits());
      fflush(stdout);
      _exit(0);
    }
    F.settle();
    if (Wrong) {
      printf("lost: %s\n", Wrong.load());
      fflush(stdout);
      _exit(0);
    }
    for (int W = 0; W < drive_program.words; ++W) {
      int64_t Value;
      memcpy(&Value, drive_program.word[W].at, 8);
      printf("%s%s=%ld", W ? " " : "", drive_program.word[W].name, Value);
    }
    puts("");
  }
  fflush(stdout);
  _exit(0);
}
