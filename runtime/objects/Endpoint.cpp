#include "Membership.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rdma::objects {

namespace {

/// What the caller did wrong; null: the node is gone.
const char *mistake(ibv_wc_status S) {
  switch (S) {
  case IBV_WC_LOC_LEN_ERR:
  case IBV_WC_LOC_QP_OP_ERR:
    return "what it asks for cannot be (local length or operation error)";
  case IBV_WC_LOC_PROT_ERR:
    return "its memory on this node is not in the arena (local protection error)";
  case IBV_WC_REM_INV_REQ_ERR:
    return "that node does not take it (remote invalid request error)";
  case IBV_WC_REM_ACCESS_ERR:
    return "its memory there is not in the arena, or not aligned, or the channel is not ready (remote access "
           "error)";
  default:
    return nullptr;
  }
}

std::uint32_t depthOf(manager &M) { return std::max<std::uint32_t>(M.settings().depth, 8); }

} // namespace

/// A yield takes a third of a microsecond, also when nobody else wants the processor. So not before a round
/// trip of some microseconds is over.
void endpoint::restNowAndThen(unsigned EmptyPolls) {
  constexpr unsigned Between = 128;
  if (EmptyPolls % Between)
    return;
  if (Manager.health() == status::peer_lost)
    giveUp();
  rest(EmptyPolls / Between);
}

/// No object survives a lost node, and a device may try for seconds before it gives a request up. What is
/// under way still comes to its end, now, so that nothing is written to a result that nobody waits for.
void endpoint::giveUp() {
  if (std::exchange(HasGivenUp, true))
    return;
  ibv_qp_attr Attr = {};
  Attr.qp_state = IBV_QPS_ERR;
  for (queue &Q : Queues)
    (void)ibv_modify_qp(Q.Qp, &Attr, IBV_QP_STATE);
}

/// The completion of an operation with an ack is its own: those before it had theirs.
inline void endpoint::handle(const ibv_wc &Completion) {
  queue &Q = Queues[Completion.wr_id >> PlaceBits];
  if (Q.broken()) [[unlikely]]
    return;
  if (Completion.status != IBV_WC_SUCCESS) [[unlikely]]
    return fail(Q, mistake(Completion.status));
  Q.Limit = Q.Posted - ((Q.Posted - Completion.wr_id) & PlaceMask) + Depth;
  if (ack *A = Acks[Completion.wr_id])
    A->close();
}

/// Those that are there, at most so many. Says how many there were.
int endpoint::takeCompletions(unsigned Most) {
  ibv_wc Completions[MostAtOnce];
  int Count = ibv_poll_cq(Cq, static_cast<int>(std::min(Most, MostAtOnce)), Completions);
  for (int I = 0; I < Count; ++I)
    handle(Completions[I]);
  return Count;
}

/// Asks for as many as are missing: most often the device has them all, and looks for no more.
status endpoint::wait(ack &Ack) {
  for (unsigned Empty = 0, Open; (Open = Ack.open());)
    if (takeCompletions(Open) <= 0)
      restNowAndThen(++Empty);
  return Ack.result();
}

status ack::wait() { return done() ? result() : Owner->wait(*this); }

endpoint::endpoint(manager &Manager)
    : Manager(Manager), Queues(Manager.nodes()), Depth(depthOf(Manager)),
      PlaceBits(static_cast<std::uint32_t>(std::bit_width(Depth - 1))),
      PlaceMask((std::uint64_t(1) << PlaceBits) - 1), SignaledMask(std::bit_floor(Depth / 4) - 1) {
  membership &Members = *Manager.Members;
  Acks.resize(std::size_t(Manager.nodes()) << PlaceBits);
  Part.lkey = Members.Mr->lkey;
  Transfer.sg_list = Atomic.sg_list = &Part;
  Transfer.num_sge = Atomic.num_sge = 1;
  Slots = Manager.allocate(slots * sizeof(word)).words();
  Landing = Manager.allocate(Manager.nodes() * sizeof(word)).words();
  Cq = ibv_create_cq(Members.Verbs, static_cast<int>(Depth * Manager.nodes()), nullptr, nullptr, 0);
  if (!Cq)
    throw error(std::string("completion queue: ") + std::strerror(errno));
  for (node_id N = 0; N < Manager.nodes(); ++N)
    try {
      queue &Q = Queues[N];
      Q.Id = Members.connectData(N, Cq, Depth);
      Q.Qp = Q.Id->qp;
      Q.Limit = Depth;
      Q.Places = std::uint64_t(N) << PlaceBits;
    } catch (const error &) {
      release();
      throw;
    }
}

endpoint::~endpoint() {
  if (Manager.health() != status::peer_lost)
    (void)fence(Manager.all()); // what nobody waited for still arrives
  release();
}

void endpoint::release() {
  for (queue &Q : Queues) {
    abandon(Q);
    if (Q.Id) {
      rdma_destroy_qp(Q.Id);
      rdma_destroy_id(Q.Id);
    }
  }
  if (Cq)
    ibv_destroy_cq(Cq);
}

status endpoint::makeRoom(queue &Q) {
  for (unsigned Empty = 0; !Q.broken() && Q.Posted >= Q.Limit;)
    if (!poll())
      restNowAndThen(++Empty);
  return Q.broken() ? status::peer_lost : status::ok;
}

/// Whoever waits for an operation that is still under way is told that it has failed.
void endpoint::abandon(queue &Q) {
  if (Q.broken())
    return;
  for (std::uint64_t Sequence = Q.Limit - Depth; Sequence++ != Q.Posted;)
    if (ack *A = Acks[Q.Places | (Sequence & PlaceMask)])
      A->close(ack::Failed);
  Q.Limit = 0;
}

void endpoint::fail(queue &Q, const char *Mistake) {
  abandon(Q);
  Manager.lose(static_cast<node_id>(&Q - Queues.data()), Mistake);
}

/// By ibv_post_send.
status endpoint::refused(queue &Q, std::size_t Size, unsigned Flags) {
  fail(Q,
       Flags & inlined && Size > inline_limit ? "it was not posted: more than inline_limit bytes" : nullptr);
  return status::peer_lost;
}

bool endpoint::poll() { return takeCompletions(MostAtOnce) > 0; }

status endpoint::fence(node_set Nodes) {
  ack Arrived;
  bool Any = false;
  status Result = status::ok;
  for (node_id N : Nodes &Manager.all())
    if (Queues[N].Posted != Queues[N].Fenced || Queues[N].broken()) {
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
