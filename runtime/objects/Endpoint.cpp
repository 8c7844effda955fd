#include "Membership.h"

#include <bit>
#include <cerrno>
#include <cstring>

namespace rdma::objects {

namespace {

constexpr std::uint64_t SequenceBits = 48, SequenceMask = (std::uint64_t(1) << SequenceBits) - 1;
constexpr unsigned PollsBeforeRest = 64;

std::uint32_t depthOf(manager &M) { return std::max<std::uint32_t>(M.settings().depth, 8); }

} // namespace

ack::~ack() { (void)wait(); }

status ack::wait() {
  if (!done())
    return Owner->wait(*this);
  return Failed.exchange(false, std::memory_order_relaxed) ? status::peer_lost : status::ok;
}

endpoint::endpoint(manager &Manager)
    : Manager(Manager), Queues(Manager.nodes()), Depth(depthOf(Manager)), LogMask(std::bit_ceil(Depth) - 1) {
  membership &Members = *Manager.Members;
  Lkey = Members.Mr->lkey;
  Slots = Manager.allocate(slots * sizeof(word)).words();
  Landing = Manager.allocate(Manager.nodes() * sizeof(word)).words();
  Cq = ibv_create_cq(Members.Verbs, static_cast<int>(Depth * Manager.nodes()), nullptr, nullptr, 0);
  if (!Cq)
    throw error(std::string("completion queue: ") + std::strerror(errno));
  for (node_id N = 0; N < Manager.nodes(); ++N) {
    queue &Q = Queues[N];
    Q.Log.resize(LogMask + 1);
    Q.Id = Members.connectData(N, Cq, Depth);
    Q.Qp = Q.Id->qp;
  }
}

endpoint::~endpoint() {
  if (Manager.health() != status::peer_lost)
    (void)fence(Manager.all()); // what nobody waited for still arrives
  for (queue &Q : Queues) {
    retire(Q, Q.Posted, true);
    if (Q.Id) {
      rdma_destroy_qp(Q.Id);
      rdma_destroy_id(Q.Id);
    }
  }
  if (Cq)
    ibv_destroy_cq(Cq);
}

/// Operations with an ack are signaled, and of the others so many that the queue never fills with none in it.
/// No object survives a lost node, also one that lives on nodes that are there: a thread that never waits for
/// another node's would go on for ever.
status endpoint::post(node_id Node, ibv_send_wr &Request, const ibv_sge &Local, ack *Done) {
  if (Manager.health() == status::peer_lost)
    return status::peer_lost;
  queue &Q = Queues[Node];
  if (Q.Posted - Q.Completed >= Depth || Q.Broken)
    if (status S = makeRoom(Q); S != status::ok)
      return S;
  std::uint64_t Sequence = ++Q.Posted;
  Request.wr_id = std::uint64_t(Node) << SequenceBits | (Sequence & SequenceMask);
  Request.sg_list = const_cast<ibv_sge *>(&Local);
  Request.num_sge = 1;
  if (Done || Sequence - Q.Signaled >= Depth / 4) {
    Request.send_flags |= IBV_SEND_SIGNALED;
    Q.Signaled = Sequence;
  }
  if (Done) {
    Done->Owner = this;
    Done->Open.store(Done->Open.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    Q.Log[Q.Last++ & LogMask] = {Sequence, Done};
  }
  Q.Dirty = true;
  ibv_send_wr *Bad;
  if (ibv_post_send(Q.Qp, &Request, &Bad) == 0)
    return status::ok;
  fail(Q);
  return status::peer_lost;
}

status endpoint::makeRoom(queue &Q) {
  for (unsigned Empty = 0; !Q.Broken && Q.Posted - Q.Completed >= Depth;)
    if (!poll() && ++Empty % PollsBeforeRest == 0)
      rest(Empty / PollsBeforeRest);
  return Q.Broken ? status::peer_lost : status::ok;
}

void endpoint::retire(queue &Q, std::uint64_t Sequence, bool Failed) {
  Q.Completed = Sequence;
  for (; Q.First != Q.Last && Q.Log[Q.First & LogMask].Sequence <= Sequence; ++Q.First) {
    ack &A = *Q.Log[Q.First & LogMask].Ack;
    if (Failed)
      A.Failed.store(true, std::memory_order_relaxed);
    A.Open.store(A.Open.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }
}

void endpoint::fail(queue &Q) {
  Q.Broken = true;
  retire(Q, Q.Posted, true);
  Manager.lose();
}

void endpoint::handle(const ibv_wc &Completion) {
  queue &Q = Queues[Completion.wr_id >> SequenceBits];
  if (Q.Broken)
    return;
  if (Completion.status != IBV_WC_SUCCESS)
    fail(Q);
  else // the sequence number, with the bits that the request could not carry
    retire(Q, Q.Posted - ((Q.Posted - Completion.wr_id) & SequenceMask), false);
}

bool endpoint::poll() {
  ibv_wc Completions[8];
  int Count = ibv_poll_cq(Cq, 8, Completions);
  for (int I = 0; I < Count; ++I)
    handle(Completions[I]);
  return Count > 0;
}

status endpoint::wait(ack &Ack) {
  for (unsigned Empty = 0; !Ack.done();)
    if (!poll() && ++Empty % PollsBeforeRest == 0)
      rest(Empty / PollsBeforeRest);
  return Ack.Failed.exchange(false, std::memory_order_relaxed) ? status::peer_lost : status::ok;
}

status endpoint::fence(node_set Nodes) {
  ack Arrived;
  bool Any = false;
  status Result = status::ok;
  for (node_id N : Nodes &Manager.all())
    if (Queues[N].Dirty || Queues[N].Broken) {
      Any = true;
      if (status S = get(&Landing[N], Manager.Members->landmark(N), sizeof(word), Arrived); S != status::ok)
        Result = S;
      Queues[N].Dirty = false;
    }
  if (!Any)
    std::atomic_thread_fence(std::memory_order_seq_cst); // a store before stays before a load behind
  if (status S = wait(Arrived); S != status::ok)
    Result = S;
  return Result;
}

} // namespace rdma::objects
