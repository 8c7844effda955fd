#include "test/load/Link.h"

#include <algorithm>
#include <arpa/inet.h>

namespace rdma::load {

using std::to_string;

namespace {

constexpr uint32_t MaxInlined = 128, SignalAtLeast = 16, CreditEvery = 8;

} // namespace

Link::Link(Host &H, const Shape &S, uint64_t Seed, std::string Name)
    : Of(H), Name(std::move(Name)), Draw(Seed), Window(S.Window), MayFail(S.MayFail), Mine(new Offered),
      Buffers(new char[Depth * SlotSize]), MineRegion(H.Device.offer(Mine.get(), sizeof(Offered))),
      BuffersRegion(H.Device.offer(Buffers.get(), Depth * SlotSize, IBV_ACCESS_LOCAL_WRITE)) {
  if (!S.Shared)
    Own = std::make_unique<ReceivePool>(H.Device, S.Receives, false);
  Pool = S.Shared ? S.Shared : Own.get();
  createQueuePair(S);
  test::toInit(Qp);
}

void Link::createQueuePair(const Shape &S) {
  ibv_qp_init_attr Init = {};
  Init.send_cq = S.Send->Cq;
  Init.recv_cq = S.Receive->Cq;
  Init.srq = Pool->shared();
  Init.qp_type = IBV_QPT_RC;
  Init.cap = {Depth, Own ? Own->size() : 0, 4, 2, MaxInlined};
  Qp = ibv_create_qp(Of.Device.Domain, &Init);
  CHECK(Qp);
  if (Own)
    Own->attach(Qp);
}

Endpoint Link::here() const {
  Endpoint E;
  E.Offered = test::addressOf(Of.Device, Qp, MineRegion);
  E.Common = test::addressOf(Of.Device, Qp, Of.CountersRegion);
  return E;
}

void Link::connect(const Endpoint &To, uint64_t OwnChannel, uint64_t OtherChannel) {
  There = To;
  Channel = OwnChannel;
  PeerChannel = OtherChannel;
  Mine->Credit = Mine->Added = Mine->Swapped = 0;
  for (uint32_t I = 0; I < Steadies; ++I)
    fill(Mine->Steady[I], {steadiesOf(Channel), I, 0, 0, SlotSize - I * 7, 0});
  if (Own)
    Own->postAll();
  test::connect(Qp, There.Offered);
  Connected = true;
}

void Link::reset() {
  ibv_qp_attr A = {};
  A.qp_state = IBV_QPS_RESET;
  CHECK(ibv_modify_qp(Qp, &A, IBV_QP_STATE) == 0);
  test::toInit(Qp);
  Connected = Down = ReadBackPosted = FlushPosted = Flushed = LastReached = false;
  Outstanding.clear();
  NextId = SinceSignaled = CreditSent = CommonSeen = SwapSeen = 0;
  Count = {};
  LastWrite = {};
  Drawn.reset();
}

Link::~Link() { CHECK(!ibv_destroy_qp(Qp) && !ibv_dereg_mr(MineRegion) && !ibv_dereg_mr(BuffersRegion)); }

bool Link::drained() const { return Down && Outstanding.empty() && (Own ? Own->posted() == 0 : LastReached); }

/// A message needs a receive at the peer; a write needs the slot that its message will announce.
bool Link::allowed(Kind K) const {
  uint64_t UnderWay = Count.Messages - credit();
  switch (K) {
  case Kind::Write:
    return UnderWay < Slots;
  case Kind::Send:
  case Kind::Immediate:
    return UnderWay < Window;
  default:
    return true;
  }
}

Kind Link::draw() {
  static constexpr struct {
    Kind What;
    uint32_t Share;
  } Mix[] = {{Kind::Write, 25},     {Kind::ReadBack, 10}, {Kind::Read, 20},
             {Kind::Add, 8},        {Kind::AddCommon, 4}, {Kind::Swap, 6},
             {Kind::SwapCommon, 4}, {Kind::Immediate, 8}, {Kind::Send, 15}};
  uint32_t At = Draw.below(100);
  for (auto &Entry : Mix) {
    if (At < Entry.Share)
      return Entry.What == Kind::ReadBack && !LastWrite.Length ? Kind::Read : Entry.What;
    At -= Entry.Share;
  }
  return Kind::Read;
}

bool Link::creditDue(uint32_t AtLeast) const {
  return Connected && !Down && Count.Received - CreditSent >= AtLeast && Outstanding.size() < Depth;
}

bool Link::post(uint64_t Limit) {
  if (!Connected || Down)
    return false;
  Prepared List[4];
  uint32_t Number = 0;
  if (creditDue(CreditEvery))
    prepare(Kind::Credit, List[Number++]);
  for (uint32_t Wanted = 1 + Draw.below(3); Wanted && Count.Posted < Limit && Outstanding.size() < Depth;
       --Wanted) {
    if (!Drawn)
      Drawn = draw();
    if (!allowed(*Drawn))
      break;
    prepare(*Drawn, List[Number++]);
    Drawn.reset();
  }
  submit(List, Number);
  return Number != 0;
}

void Link::settleCredit() {
  if (!creditDue(1))
    return;
  Prepared P;
  prepare(Kind::Credit, P);
  submit(&P, 1);
}

bool Link::finish(uint64_t Limit) {
  if (Count.Posted >= Limit && !FlushPosted && Outstanding.size() < Depth) {
    Prepared P;
    prepare(Kind::Flush, P);
    submit(&P, 1);
    FlushPosted = true;
  }
  return Flushed;
}

void Link::ask() {
  if (!Connected || Down || Outstanding.size() >= Depth)
    return;
  Prepared P;
  prepare(Kind::Read, P);
  submit(&P, 1);
}

void Link::submit(Prepared *First, uint32_t Number) {
  if (!Number)
    return;
  for (uint32_t I = 0; I < Number; ++I)
    First[I].Wr.next = I + 1 < Number ? &First[I + 1].Wr : nullptr;
  ibv_send_wr *Bad = nullptr;
  if (int Error = ibv_post_send(Qp, &First->Wr, &Bad))
    wrongHere("a request is refused: error " + to_string(Error));
}

void Link::prepare(Kind K, Prepared &P) {
  P.Wr = {};
  P.Wr.sg_list = P.Parts;
  P.Wr.wr.rdma.rkey = There.Offered.Rkey;
  Request R = {NextId++, K, false};
  P.Wr.wr_id = R.Id;
  char *At = bufferOf(R.Id);
  switch (K) {
  case Kind::Write:
    prepareWrite(P, R, At);
    break;
  case Kind::Send:
  case Kind::Immediate:
    prepareMessage(P, R, At, K == Kind::Immediate);
    break;
  case Kind::Read:
  case Kind::ReadBack:
  case Kind::Flush: {
    bool Back = K == Kind::ReadBack;
    uint32_t Which = Draw.below(Steadies);
    R.Expected = Back ? LastWrite.Sequence : Which;
    R.Length = Back ? LastWrite.Length : SlotSize - Which * 7;
    ReadBackPosted |= Back;
    P.Wr.opcode = IBV_WR_RDMA_READ;
    P.Wr.wr.rdma.remote_addr =
        There.Offered.At + (Back ? offsetof(Offered, Written) + Count.Messages % Slots * SlotSize
                                 : offsetof(Offered, Steady) + Which * SlotSize);
    scatter(P, At, R.Length);
    break;
  }
  case Kind::Credit:
    std::memcpy(At, &Count.Received, 8);
    CreditSent = Count.Received;
    P.Wr.opcode = IBV_WR_RDMA_WRITE;
    P.Wr.send_flags = IBV_SEND_INLINE;
    P.Wr.wr.rdma.remote_addr = There.Offered.At + offsetof(Offered, Credit);
    P.Parts[0] = {reinterpret_cast<uint64_t>(At), 8, 0};
    P.Wr.num_sge = 1;
    break;
  default:
    prepareAtomic(P, R);
  }
  R.Signaled = K == Kind::Flush || ++SinceSignaled >= SignalAtLeast || Draw.below(4) == 0;
  if (R.Signaled) {
    SinceSignaled = 0;
    P.Wr.send_flags |= IBV_SEND_SIGNALED;
  }
  Count.Posted += K != Kind::Credit && K != Kind::Flush;
  Outstanding.push_back(R);
}

/// Up to four entries that make up the buffer.
void Link::scatter(Prepared &P, char *At, uint32_t Length) {
  uint32_t Number = 1 + Draw.below(4), Used = 0;
  for (uint32_t I = 0; I < Number; ++I) {
    uint32_t Part = I + 1 == Number ? Length - Used : Draw.below(Length - Used + 1);
    P.Parts[I] = {reinterpret_cast<uint64_t>(At + Used), Part, BuffersRegion->lkey};
    Used += Part;
  }
  P.Wr.num_sge = static_cast<int>(Number);
}

void Link::prepareWrite(Prepared &P, Request &R, char *At) {
  LastWrite = {writesOf(Channel), R.Id + 1, 0, 0, MinLength + Draw.below(SlotSize - MinLength + 1), 0};
  fill(At, LastWrite);
  P.Wr.opcode = IBV_WR_RDMA_WRITE;
  P.Wr.wr.rdma.remote_addr =
      There.Offered.At + offsetof(Offered, Written) + Count.Messages % Slots * SlotSize;
  if (std::exchange(ReadBackPosted, false))
    P.Wr.send_flags |= IBV_SEND_FENCE;
  if (LastWrite.Length <= MaxInlined)
    P.Wr.send_flags |= IBV_SEND_INLINE;
  R.Length = LastWrite.Length;
  scatter(P, At, R.Length);
}

void Link::prepareMessage(Prepared &P, Request &R, char *At, bool Immediate) {
  R.Length = MinLength + Draw.below(SlotSize - MinLength + 1);
  fill(At, {messagesOf(Channel), Count.Messages, LastWrite.Sequence, LastWrite.Length, R.Length, 0});
  P.Wr.opcode = Immediate ? IBV_WR_RDMA_WRITE_WITH_IMM : Draw.below(2) ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM;
  P.Wr.wr.rdma.remote_addr =
      There.Offered.At + offsetof(Offered, Immediate) + Count.Messages % Slots * SlotSize;
  P.Wr.imm_data = htonl(static_cast<uint32_t>(Count.Messages));
  if (R.Length <= MaxInlined && Draw.below(2))
    P.Wr.send_flags |= IBV_SEND_INLINE;
  if (Draw.below(2))
    P.Wr.send_flags |= IBV_SEND_SOLICITED;
  scatter(P, At, R.Length);
  ++Count.Messages;
  LastWrite = {};
}

void Link::prepareAtomic(Prepared &P, Request &R) {
  bool Common = R.What == Kind::AddCommon || R.What == Kind::SwapCommon;
  bool Swaps = R.What == Kind::Swap || R.What == Kind::SwapCommon;
  uint64_t Field = Common ? (Swaps ? offsetof(load::Common, Swapped) : offsetof(load::Common, Added))
                          : (Swaps ? offsetof(Offered, Swapped) : offsetof(Offered, Added));
  const test::Address &To = Common ? There.Common : There.Offered;
  // What is there now: known where nobody else counts, and a guess where others do.
  R.Expected = !Common ? (Swaps ? Count.Swapped++ : Count.Added++) : Swaps ? SwapSeen : 0;
  P.Wr.opcode = Swaps ? IBV_WR_ATOMIC_CMP_AND_SWP : IBV_WR_ATOMIC_FETCH_AND_ADD;
  P.Wr.wr.atomic = {To.At + Field, Swaps ? R.Expected : 1, R.Expected + 1, To.Rkey};
  Count.CommonAdded += R.What == Kind::AddCommon;
  P.Parts[0] = {reinterpret_cast<uint64_t>(bufferOf(R.Id)), 8, BuffersRegion->lkey};
  P.Wr.num_sge = 1;
}

} // namespace rdma::load
