// A member of the group: it posts on its links, checks them, and does what the parent says.
#include "test/load/Crowding.h"
#include "test/load/Kill.h"

#include <chrono>
#include <poll.h>
#include <sched.h>
#include <unordered_map>

namespace rdma::load {

using std::to_string;
using Clock = std::chrono::steady_clock;

namespace {

constexpr uint64_t NoLimit = ~uint64_t(0);
constexpr auto Patience = std::chrono::seconds(30);

/// A link, and what is being done with it.
struct Side {
  std::unique_ptr<Link> L;
  bool Going = false, Finishing = false;
  uint64_t Seen = 0; ///< of the tally, when it last moved
  Clock::time_point Moved;
};

class Member {
public:
  Member(uint32_t Number, uint32_t Members, uint64_t Seed, int Parent);
  void run();

private:
  void tell(Say What, uint32_t Peer);
  bool obey();
  void connect(const Note &N);
  bool handle(Queue &Q);
  void handleEvents();
  bool drive();
  void drain();
  void watch(Side &S);
  void finish();
  void countReceives();
  uint64_t completed() const;

  uint32_t Number, Members;
  test::Line Parent;
  int ParentFd;
  Host Self;
  Queue Together, Apart;
  ReceivePool Pool;
  std::vector<Side> Sides; ///< by member
  std::unordered_map<uint32_t, Link *> ByNumber;
  std::vector<bool> Gone; ///< members whose links are not drained yet
  std::optional<Note> Ending;
  uint64_t Operations = 0; ///< of links that were reset
};

Member::Member(uint32_t Number, uint32_t Members, uint64_t Seed, int Parent)
    : Number(Number), Members(Members), Parent(Parent), ParentFd(Parent), Together(Self.Device, false),
      Apart(Self.Device, false), Pool(Self.Device, 16 * Members, true), Sides(Members * LinksOfPair),
      Gone(Members) {
  Pool.postAll();
  for (uint32_t I = 0; I < Sides.size(); ++I) {
    Shape S;
    S.Send = &Together;
    S.Receive = I % 3 ? &Together : &Apart;
    S.Shared = I % LinksOfPair ? &Pool : nullptr;
    S.MayFail = true;
    auto Name = "link " + to_string(I % LinksOfPair) + " to member " + to_string(I / LinksOfPair);
    Sides[I].L = std::make_unique<Link>(Self, S, mix(Seed + Number * 100 + I), Name);
    ByNumber[Sides[I].L->number()] = Sides[I].L.get();
  }
}

uint64_t Member::completed() const {
  uint64_t Sum = Operations;
  for (const Side &S : Sides)
    Sum += S.L->tally().Completed;
  return Sum;
}

void Member::tell(Say What, uint32_t Peer) {
  Note N;
  N.What = What;
  N.Member = Peer;
  N.Operations = completed();
  for (uint32_t I = 0; I < Sides.size(); ++I) {
    if (What == Say::Hello)
      N.There[I] = Sides[I].L->here();
    N.Messages[I] = Sides[I].L->tally().Messages;
  }
  Parent.tell(N);
}

void Member::connect(const Note &N) {
  for (uint32_t I = 0; I < LinksOfPair; ++I) {
    uint32_t Index = N.Member * LinksOfPair + I;
    Sides[Index].L->connect(N.There[Index], N.Channel + I, N.PeerChannel + I);
    Sides[Index].Moved = Clock::now();
  }
}

/// False when it is time to leave.
bool Member::obey() {
  pollfd Poll = {ParentFd, POLLIN, 0};
  if (poll(&Poll, 1, 0) != 1)
    return true;
  auto N = Parent.hear<Note>();
  switch (N.What) {
  case Say::Connect:
    connect(N);
    tell(Say::Connected, N.Member);
    break;
  case Say::Go:
    for (uint32_t I = 0; I < LinksOfPair; ++I)
      Sides[N.Member * LinksOfPair + I].Going = true;
    break;
  case Say::Gone:
    Gone[N.Member] = true;
    break;
  case Say::Finish:
    for (Side &S : Sides)
      S.Finishing = S.L->connected();
    Ending = N;
    break;
  case Say::Due:
    Ending = N;
    break;
  default:
    return false;
  }
  return true;
}

bool Member::handle(Queue &Q) {
  ibv_wc List[16];
  int Count = ibv_poll_cq(Q.Cq, 16, List);
  CHECK(Count >= 0);
  for (int I = 0; I < Count; ++I) {
    auto At = ByNumber.find(List[I].qp_num);
    if (At == ByNumber.end())
      wrong("a completion names no queue pair");
    // Requests that fail say nothing more than their number; receives have the bit of the opcode in any case
    // here.
    if (List[I].opcode & IBV_WC_RECV)
      At->second->received(List[I]);
    else
      At->second->completed(List[I]);
  }
  return Count > 0;
}

void Member::handleEvents() {
  pollfd Poll = {Self.Device.Context->async_fd, POLLIN, 0};
  if (poll(&Poll, 1, 0) != 1)
    return;
  ibv_async_event Event;
  CHECK(ibv_get_async_event(Self.Device.Context, &Event) == 0);
  if (Event.event_type != IBV_EVENT_QP_LAST_WQE_REACHED)
    wrong(std::string("an event comes: ") + ibv_event_type_str(Event.event_type));
  for (Side &S : Sides)
    if (S.L->queuePair() == Event.element.qp)
      S.L->lastReached();
  ibv_ack_async_event(&Event);
}

void Member::watch(Side &S) {
  const Tally &T = S.L->tally();
  if (S.Seen != T.Completed + T.Received || !S.L->connected())
    S.Moved = Clock::now();
  S.Seen = T.Completed + T.Received;
  if (isHang<Clock>(S.Moved, Patience))
    wrong(S.L->name() + " is stuck: " + S.L->state());
}

bool Member::drive() {
  bool Any = false;
  for (Side &S : Sides) {
    if (S.Finishing)
      S.L->post(0), S.L->finish(0);
    else if (S.Going)
      Any |= S.L->post(NoLimit);
    if ((S.Going && !S.Finishing) || S.L->down())
      watch(S);
  }
  return Any;
}

/// Links to members that are dead: asks until the error comes, and begins anew when everything has been
/// flushed.
void Member::drain() {
  for (uint32_t Peer = 0; Peer < Members; ++Peer) {
    if (!Gone[Peer])
      continue;
    bool Drained = true;
    for (uint32_t I = 0; I < LinksOfPair; ++I) {
      Side &S = Sides[Peer * LinksOfPair + I];
      S.Going = false;
      if (!S.L->connected())
        continue;
      S.L->ask();
      watch(S);
      Drained = Drained && S.L->drained();
    }
    // The receives of the last event are in the queues, and a reset would drop them.
    if (!Drained || handle(Together) || handle(Apart))
      continue;
    for (uint32_t I = 0; I < LinksOfPair; ++I) {
      Side &S = Sides[Peer * LinksOfPair + I];
      Operations += S.L->tally().Completed;
      if (S.L->connected())
        S.L->reset();
    }
    Gone[Peer] = false;
    tell(Say::Drained, Peer);
  }
}

/// Answers when the present stage of the end is reached on every link.
void Member::finish() {
  if (!Ending)
    return;
  bool All = true;
  for (uint32_t I = 0; I < Sides.size(); ++I) {
    Link &L = *Sides[I].L;
    if (!L.connected())
      continue;
    All = All && (Ending->What == Say::Finish ? L.finish(0) : L.tally().Received == Ending->Messages[I]);
  }
  if (!All)
    return;
  Ending.reset();
  tell(Say::Finished, 0);
}

/// The shared receives that the device has are those that this program has posted: whoever died has taken
/// none along.
void Member::countReceives() {
  Queue Own(Self.Device, false);
  ibv_qp_init_attr Init = {};
  Init.send_cq = Init.recv_cq = Own.Cq;
  Init.srq = Pool.shared();
  Init.qp_type = IBV_QPT_RC;
  Init.cap = {1, 0, 1, 0, 0};
  ibv_qp *Qp = ibv_create_qp(Self.Device.Domain, &Init);
  CHECK(Qp);
  test::connect(Qp, test::addressOf(Self.Device, Qp, nullptr), test::AllAccess, 0);
  uint32_t Found = 0;
  for (bool More = true; More;) {
    ibv_send_wr Wr = {}, *Bad;
    Wr.opcode = IBV_WR_SEND;
    Wr.send_flags = IBV_SEND_SIGNALED;
    CHECK(ibv_post_send(Qp, &Wr, &Bad) == 0);
    for (bool Sent = false; !Sent;) {
      ibv_wc Wc;
      if (ibv_poll_cq(Own.Cq, 1, &Wc) != 1 || isReceive(Wc))
        continue;
      Sent = true;
      More = Wc.status == IBV_WC_SUCCESS;
      CHECK(More || Wc.status == IBV_WC_RNR_RETRY_EXC_ERR);
    }
    Found += More;
  }
  CHECK(ibv_destroy_qp(Qp) == 0);
  if (Found != Pool.size())
    wrong(to_string(Pool.size()) + " shared receives are posted, and " + to_string(Found) + " are there");
}

void Member::run() {
  tell(Say::Hello, Number);
  while (obey()) {
    bool Any = handle(Together);
    Any |= handle(Apart);
    Any |= drive();
    handleEvents();
    drain();
    finish();
    if (!Any)
      sched_yield();
  }
  countReceives();
}

} // namespace

void runMember(uint32_t Number, uint32_t Members, uint64_t Seed, int Parent) {
  setName("member " + to_string(Number));
  Member(Number, Members, Seed, Parent).run();
}

} // namespace rdma::load
