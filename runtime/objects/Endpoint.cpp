#include "Membership.h"

#include <bit>
#include <cerrno>
#include <cstring>

namespace rdma::objects {

namespace {

constexpr unsigned PollsBeforeRest = 64;

std::uint32_t depthOf(manager &M) { return std::max<std::uint32_t>(M.settings().depth, 8); }

} // namespace

status ack::wait() { return done() ? result() : Owner->wait(*this); }

endpoint::endpoint(manager &Manager)
    : Manager(Manager), Queues(Manager.nodes()), Depth(depthOf(Manager)), LogMask(std::bit_ceil(Depth) - 1),
      SignaledMask(std::bit_floor(Depth / 4) - 1) {
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
  return Ack.result();
}

status endpoint::fence(node_set Nodes) {
  ack Arrived;
  bool Any = false;
  status Result = status::ok;
  for (node_id N : Nodes &Manager.all())
    if (Queues[N].Posted != Queues[N].Fenced || Queues[N].Broken) {
      Any = true;
      if (status S = get(&Landing[N], Manager.Members->landmark(N), sizeof(word), Arrived); S != status::ok)
        Result = S;
      Queues[N].Fenced = Queues[N].Posted;
    }
  if (!Any)
    std::atomic_thread_fence(std::memory_order_seq_cst); // a store before stays before a load behind
  if (status S = wait(Arrived); S != status::ok)
    Result = S;
  return Result;
}

} // namespace rdma::objects
