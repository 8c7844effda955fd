// How completions are taken, and what one that says that a node is lost leads to.
#include "Membership.h"

#include <algorithm>
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

/// A loop, though it is gone round once: behind it nothing is under way, which a branch past the wait hides.
status ack::wait() {
  while (!done())
    if (status S = Owner->wait(*this); S != status::ok)
      return S;
  return result();
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

} // namespace rdma::objects
