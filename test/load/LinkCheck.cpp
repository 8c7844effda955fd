// What a link holds against its completions and messages.
#include "test/load/Link.h"

#include <arpa/inet.h>

namespace rdma::load {

using std::to_string;

namespace {

ibv_wc_opcode completionOf(Kind K) {
  switch (K) {
  case Kind::ReadBack:
  case Kind::Read:
  case Kind::Flush:
    return IBV_WC_RDMA_READ;
  case Kind::Add:
  case Kind::AddCommon:
    return IBV_WC_FETCH_ADD;
  case Kind::Swap:
  case Kind::SwapCommon:
    return IBV_WC_COMP_SWAP;
  case Kind::Send:
    return IBV_WC_SEND;
  default:
    return IBV_WC_RDMA_WRITE;
  }
}

bool counts(Kind K) { return K != Kind::Credit && K != Kind::Flush; }

} // namespace

void Link::wrongHere(const std::string &What) const { wrong(Name + ": " + What + "; " + state()); }

std::string Link::state() const {
  return to_string(Count.Posted) + " operations posted, " + to_string(Count.Completed) + " completed, " +
         to_string(Outstanding.size()) + " requests outstanding" +
         (Outstanding.empty() ? "" : " from " + to_string(Outstanding.front().Id)) + ", " +
         to_string(Count.Messages) + " messages sent, " + to_string(credit()) + " of them handled, " +
         to_string(Count.Received) + " received, " + to_string(Pool->posted()) + " receives posted, state " +
         to_string(Qp->state) + (Down ? ", down" : "");
}

void Link::completed(const ibv_wc &Wc) {
  if (!Connected)
    wrongHere("a completion comes of a queue pair that is not connected");
  if (Wc.status != IBV_WC_SUCCESS)
    return fail(Wc);
  if (Down)
    wrongHere("request " + to_string(Wc.wr_id) + " succeeds after an error");
  // With a request that is signalled, all before it are complete.
  while (!Outstanding.empty()) {
    Request R = Outstanding.front();
    Outstanding.pop_front();
    verify(R);
    if (R.Signaled && R.Id != Wc.wr_id)
      wrongHere("the completion of request " + to_string(R.Id) + " is missing at that of " +
                to_string(Wc.wr_id));
    if (R.Id != Wc.wr_id)
      continue;
    if (!R.Signaled || Wc.opcode != completionOf(R.What))
      wrongHere("the completion of request " + to_string(R.Id) + " is not what was asked for");
    return;
  }
  wrongHere("a completion comes of request " + to_string(Wc.wr_id) + ", which is not outstanding");
}

/// The first request that fails says why; whatever is behind it is flushed, one by one, signalled or not.
void Link::fail(const ibv_wc &Wc) {
  ibv_wc_status Due = Down ? IBV_WC_WR_FLUSH_ERR : IBV_WC_RETRY_EXC_ERR;
  if (!MayFail || Wc.status != Due)
    wrongHere("request " + to_string(Wc.wr_id) + " fails: " + ibv_wc_status_str(Wc.status));
  for (; !Down && !Outstanding.empty() && Outstanding.front().Id != Wc.wr_id; Outstanding.pop_front()) {
    if (Outstanding.front().Signaled)
      wrongHere("the completion of request " + to_string(Outstanding.front().Id) + " is missing");
    verify(Outstanding.front());
  }
  if (Outstanding.empty() || Outstanding.front().Id != Wc.wr_id)
    wrongHere("an error comes of request " + to_string(Wc.wr_id) + ", which is not due");
  Outstanding.pop_front();
  Down = true;
}

void Link::verify(const Request &R) {
  const char *At = bufferOf(R.Id);
  uint64_t Value;
  std::memcpy(&Value, At, sizeof Value);
  bool Good = true;
  switch (R.What) {
  case Kind::Read:
  case Kind::Flush:
  case Kind::ReadBack: {
    Stamp S = stampOf(At, R.Length);
    uint64_t Stream = R.What == Kind::ReadBack ? writesOf(Channel) : steadiesOf(PeerChannel);
    Good = S.Length && S.Channel == Stream && S.Sequence == R.Expected;
    Flushed |= R.What == Kind::Flush;
    break;
  }
  case Kind::Add:
  case Kind::Swap:
    Good = Value == R.Expected;
    break;
  case Kind::AddCommon:
    Good = Value >= CommonSeen;
    CommonSeen = Value + 1;
    break;
  case Kind::SwapCommon:
    Good = Value >= SwapSeen;
    SwapSeen = Value == R.Expected ? Value + 1 : Value;
    Count.CommonSwapped += Value == R.Expected;
    break;
  default:
    break;
  }
  if (!Good)
    wrongHere("request " + to_string(R.Id) + " of kind " + to_string(static_cast<int>(R.What)) + " gave " +
              to_string(Value) + " for " + to_string(R.Expected));
  Count.Completed += counts(R.What);
}

void Link::received(const ibv_wc &Wc) {
  const char *At = Pool->take(Wc);
  if (!Connected)
    wrongHere("a receive completes of a queue pair that is not connected");
  if (MayFail && Wc.status == IBV_WC_WR_FLUSH_ERR) {
    if (Pool->isShared())
      Pool->post(Wc); // a dead peer had begun to use it
    return;
  }
  if (Wc.status != IBV_WC_SUCCESS)
    wrongHere(std::string("a receive fails: ") + ibv_wc_status_str(Wc.status));
  bool Immediate = Wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM;
  if (!Immediate && Wc.opcode != IBV_WC_RECV)
    wrongHere("a receive completes with opcode " + to_string(Wc.opcode));
  Stamp S = stampOf(Immediate ? Mine->Immediate[Count.Received % Slots] : At, Wc.byte_len);
  if (!S.Length || S.Channel != messagesOf(PeerChannel) || S.Sequence != Count.Received)
    wrongHere("message " + to_string(S.Sequence) + " of stream " + to_string(S.Channel) + ", " +
              to_string(S.Length) + " bytes, comes for " + to_string(Count.Received) + " of " +
              to_string(messagesOf(PeerChannel)));
  bool WithImm = Wc.wc_flags & IBV_WC_WITH_IMM;
  if ((Immediate && !WithImm) || (WithImm && ntohl(Wc.imm_data) != static_cast<uint32_t>(S.Sequence)))
    wrongHere("the immediate data is wrong at message " + to_string(S.Sequence));
  verifyAnnounced(S);
  ++Count.Received;
  if (Pool->isShared() || !Down)
    Pool->post(Wc);
}

/// The writes before a message have arrived before it.
void Link::verifyAnnounced(const Stamp &S) {
  if (!S.AnnouncedLength)
    return;
  Stamp Write = stampOf(Mine->Written[S.Sequence % Slots], S.AnnouncedLength);
  if (!Write.Length || Write.Channel != writesOf(PeerChannel) || Write.Sequence != S.Announced)
    wrongHere("message " + to_string(S.Sequence) + " announces write " + to_string(S.Announced) +
              "; there is " + to_string(Write.Sequence) + " of stream " + to_string(Write.Channel));
}

} // namespace rdma::load
