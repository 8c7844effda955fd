// One process of the mixed load: some threads drive its links, and the main thread watches them.
#include "test/load/Crowding.h"
#include "test/load/Mixed.h"

#include <sched.h>
#include <thread>
#include <unordered_map>

namespace rdma::load {

using std::to_string;
using Clock = std::chrono::steady_clock;

namespace {

constexpr uint64_t NoLimit = ~uint64_t(0);

class Process {
public:
  Process(const MixedPlan &Plan, uint32_t Number);
  void run(const test::Line &Parent);

private:
  void createLinks();
  Shape shapeOf(uint32_t Index);
  void work(uint32_t Thread);
  bool handle(Queue &Q);
  bool drive(uint32_t Index);
  void await(const char *What, std::atomic<uint32_t> &Count);
  void disturb();
  Tallies tallies();
  void verify(const Tallies &Peers);

  const MixedPlan &Plan;
  uint32_t Number;
  Random Draw;
  Host Self;
  Queue SharedQueue;
  std::vector<std::unique_ptr<Queue>> Queues; ///< of each thread
  ReceivePool Pool;
  std::vector<std::unique_ptr<Link>> Links;
  std::unordered_map<uint32_t, Link *> ByNumber;
  std::vector<std::atomic<uint64_t>> MessagesDue;      ///< of each link, once the peer has said
  std::vector<std::atomic<bool>> HasSent, HasReceived; ///< each link
  std::atomic<uint32_t> SentAll{0}, ReceivedAll{0};    ///< links
  std::atomic<uint64_t> Progress{0};
  std::atomic<bool> Stop{false};
};

Process::Process(const MixedPlan &Plan, uint32_t Number)
    : Plan(Plan), Number(Number), Draw(mix(Plan.Seed) + Number), SharedQueue(Self.Device, false),
      Pool(Self.Device, 16 * Plan.Links, true), MessagesDue(Plan.Links), HasSent(Plan.Links),
      HasReceived(Plan.Links) {
  for (uint32_t I = 0; I < Plan.Threads; ++I)
    Queues.push_back(std::make_unique<Queue>(Self.Device, I % 2 == 1));
  for (auto &Due : MessagesDue)
    Due = NoLimit;
  Pool.postAll();
  createLinks();
}

Shape Process::shapeOf(uint32_t Index) {
  Shape S;
  Queue *Own = Queues[Index % Plan.Threads].get();
  S.Send = Index % 4 == 0 ? &SharedQueue : Own;
  S.Receive = Index % 4 == 2 ? &SharedQueue : S.Send;
  S.Shared = Index / 2 % 2 ? &Pool : nullptr;
  // A few run out of receives, and wait for them.
  S.Window = Index % 8 == 5 ? 2 * S.Receives : S.Receives;
  return S;
}

void Process::createLinks() {
  for (uint32_t I = 0; I < Plan.Links; ++I) {
    Shape S = shapeOf(I);
    Links.push_back(std::make_unique<Link>(Self, S, Draw.next(), "link " + to_string(I)));
    ByNumber[Links.back()->number()] = Links.back().get();
  }
}

bool Process::handle(Queue &Q) {
  std::unique_lock Guard(Q.Handling, std::try_to_lock);
  ibv_wc List[16];
  int Number = Guard ? ibv_poll_cq(Q.Cq, 16, List) : 0;
  if (Number < 0)
    wrong("a completion queue is in error");
  for (int I = 0; I < Number; ++I) {
    auto At = ByNumber.find(List[I].qp_num);
    if (At == ByNumber.end())
      wrong("a completion names no queue pair");
    std::lock_guard Link(At->second->Lock);
    if (isReceive(List[I]))
      At->second->received(List[I]);
    else
      At->second->completed(List[I]);
  }
  return Number > 0;
}

/// True when the link got on.
bool Process::drive(uint32_t Index) {
  Link &L = *Links[Index];
  uint64_t Due = MessagesDue[Index];
  std::lock_guard Guard(L.Lock);
  bool Posted = L.post(Plan.Operations);
  bool Sent = L.finish(Plan.Operations), Received = L.tally().Received >= Due;
  if (L.tally().Received > Due)
    wrong(L.name() + ": more messages have come than were sent");
  if (Sent && !HasSent[Index].exchange(true))
    ++SentAll;
  if (Received && !HasReceived[Index].exchange(true))
    ++ReceivedAll;
  return Posted;
}

void Process::work(uint32_t Thread) {
  for (unsigned Idle = 0; !Stop;) {
    bool Any = handle(SharedQueue);
    Any |= handle(*Queues[Thread]);
    for (uint32_t I = Thread; I < Plan.Links; I += Plan.Threads)
      Any |= drive(I);
    Idle = Any ? 0 : Idle + 1;
    if (Any)
      Progress.fetch_add(1, std::memory_order_relaxed);
    else if (Queues[Thread]->Channel && Idle > 4) {
      CHECK(ibv_req_notify_cq(Queues[Thread]->Cq, Idle % 2) == 0);
      if (!handle(*Queues[Thread]))
        Queues[Thread]->rest(1);
    } else {
      sched_yield();
    }
  }
}

/// Registers and gives back memory among the program's own, while the threads use what lies next to it.
void Process::disturb() {
  std::vector<char> Memory(1 + Draw.below(20000));
  ibv_mr *Region = Self.Device.offer(Memory.data(), Memory.size());
  CHECK(ibv_dereg_mr(Region) == 0);
}

void Process::await(const char *What, std::atomic<uint32_t> &Count) {
  uint64_t Seen = 0;
  for (auto Since = Clock::now(); Count < Plan.Links;) {
    usleep(20000);
    disturb();
    if (Seen != Progress.load())
      Since = Clock::now();
    Seen = Progress;
    if (!isHang<Clock>(Since, Plan.Patience))
      continue;
    for (auto &L : Links) {
      std::lock_guard Guard(L->Lock);
      fprintf(stderr, "load: process %u: %s is stuck: %s\n", Number, L->name().c_str(), L->state().c_str());
    }
    wrong(std::string("nothing has moved for long, while it waits for ") + What);
  }
}

Tallies Process::tallies() {
  Tallies All = {};
  for (uint32_t I = 0; I < Plan.Links; ++I) {
    std::lock_guard Guard(Links[I]->Lock);
    All[I] = Links[I]->tally();
  }
  return All;
}

/// Everything that peers count here is what they have counted.
void Process::verify(const Tallies &Peers) {
  uint64_t Added = 0, Swapped = 0;
  for (uint32_t I = 0; I < Plan.Links; ++I) {
    Added += Peers[I].CommonAdded;
    Swapped += Peers[I].CommonSwapped;
    const Offered &Mine = Links[I]->memory();
    if (Mine.Added != Peers[I].Added || Mine.Swapped != Peers[I].Swapped)
      wrong(Links[I]->name() + ": the peer counted to " + to_string(Peers[I].Added) + " and " +
            to_string(Peers[I].Swapped) + ", and here are " + to_string(Mine.Added) + " and " +
            to_string(Mine.Swapped));
  }
  if (Self.Counters->Added != Added || Self.Counters->Swapped != Swapped)
    wrong("all peers together counted to " + to_string(Added) + " and " + to_string(Swapped) +
          ", and here are " + to_string(Self.Counters->Added) + " and " + to_string(Self.Counters->Swapped));
}

void Process::run(const test::Line &Parent) {
  Endpoints Here = {};
  for (uint32_t I = 0; I < Plan.Links; ++I)
    Here[I] = Links[I]->here();
  Parent.tell(Here);
  auto There = Parent.hear<Endpoints>();
  std::vector<uint32_t> Peers = Plan.peers();
  for (uint32_t I = 0; I < Plan.Links; ++I)
    Links[I]->connect(There[I], Number * Plan.Links + I, Peers[Number * Plan.Links + I]);
  Parent.meet();
  std::vector<std::thread> Threads;
  for (uint32_t I = 0; I < Plan.Threads; ++I)
    Threads.emplace_back([this, I] { work(I); });
  await("its operations", SentAll);
  Parent.tell(tallies());
  auto Sent = Parent.hear<Tallies>();
  for (uint32_t I = 0; I < Plan.Links; ++I)
    MessagesDue[I] = Sent[I].Messages;
  await("messages of its peers", ReceivedAll);
  Parent.meet();
  verify(Sent);
  usleep(50000); // whatever comes twice has time to
  Stop = true;
  for (std::thread &T : Threads)
    T.join();
  Parent.tell(tallies());
  Parent.hear<char>();
}

} // namespace

void runMixedProcess(const MixedPlan &Plan, uint32_t Number, const test::Line &Parent) {
  setName("process " + to_string(Number));
  Process(Plan, Number).run(Parent);
}

} // namespace rdma::load
