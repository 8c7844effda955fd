#include "test/device/Nodes.h"

#include "rdma/emulated.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <sys/mman.h>

namespace rdma::test {

namespace {

constexpr std::size_t LineSize = 64, PageSize = 4096;
constexpr uint32_t Depth = 256;
constexpr uint64_t Flushing = ~uint64_t(0);
/// Longer than anything stays under way.
constexpr uint64_t Ages = uint64_t(1) << 22;

} // namespace

Devices::Devices(unsigned Count) {
  setenv("RDMA_NODES", std::to_string(Count).c_str(), 1);
  setenv("RDMA_SCHEDULE", "weak", 1);
  setenv("RDMA_FABRIC", ("device-litmus-" + std::to_string(getpid())).c_str(), 1);
  for (unsigned I = 0; I < Count; ++I)
    Open.push_back(std::make_unique<Device>(16, static_cast<int>(I)));
}

Nodes::Nodes(const Program &P, const Devices &D) : P(P) {
  Size = ((1 + P.Objects.size()) * LineSize + PageSize - 1) / PageSize * PageSize;
  void *At = mmap(nullptr, Size * P.Nodes.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(At != MAP_FAILED);
  Base = static_cast<char *>(At);
  for (NodeId N = 0; N < P.Nodes.size(); ++N)
    Regions.push_back(D[N].offer(place(N, 0), Size));
  for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q)
    connectPair(Q, D);
  reset();
}

Nodes::~Nodes() {
  std::vector<ibv_cq *> Queues;
  for (const Link &L : Links) {
    Queues.push_back(L.Near->send_cq);
    CHECK(!ibv_destroy_qp(L.Near) && !ibv_destroy_qp(L.Far));
  }
  std::sort(Queues.begin(), Queues.end());
  Queues.erase(std::unique(Queues.begin(), Queues.end()), Queues.end());
  for (ibv_cq *Cq : Queues)
    CHECK(!ibv_destroy_cq(Cq));
  for (ibv_mr *Mr : Regions)
    CHECK(!ibv_dereg_mr(Mr));
  munmap(Base, Size * P.Nodes.size());
}

std::int64_t *Nodes::place(NodeId N, std::size_t Number) const {
  return reinterpret_cast<std::int64_t *>(Base + N * Size + Number * LineSize);
}

/// Queue pairs of the program that share a completion queue share one here.
ibv_cq *Nodes::completionsFor(QueuePairId Q, const Device &D) {
  for (QueuePairId Other = 0; Other < Q; ++Other)
    if (P.QueuePairs[Q].Queue != None && P.QueuePairs[Other].Queue == P.QueuePairs[Q].Queue)
      return Links[Other].Near->send_cq;
  ibv_cq *Cq = ibv_create_cq(D.Context, 4 * Depth, nullptr, nullptr, 0);
  CHECK(Cq);
  return Cq;
}

void Nodes::connectPair(QueuePairId Q, const Devices &D) {
  const QueuePair &Pair = P.QueuePairs[Q];
  const Device &Here = D[P.Threads[Pair.Owner].Home], &There = D[Pair.Target];
  ibv_qp_init_attr Init = {};
  Init.send_cq = Init.recv_cq = completionsFor(Q, Here);
  Init.qp_type = IBV_QPT_RC;
  Init.cap = {Depth, 1, 1, 1, 64};
  Link L = {ibv_create_qp(Here.Domain, &Init), There.queuePair(1)};
  CHECK(L.Near);
  // Both are known before one of them connects.
  Address Near = addressOf(Here, L.Near, nullptr), Far = addressOf(There, L.Far, nullptr);
  connect(L.Far, Near);
  connect(L.Near, Far);
  Links.push_back(L);
}

void Nodes::reset() {
  for (ObjectId O = 0; O < P.Objects.size(); ++O)
    *word(O) = P.Objects[O].Initial;
}

std::vector<std::int64_t> Nodes::values() const {
  std::vector<std::int64_t> All;
  for (ObjectId O = 0; O < P.Objects.size(); ++O)
    All.push_back(__atomic_load_n(word(O), __ATOMIC_SEQ_CST));
  return All;
}

/// A READ behind everything else pushes the WRITEs into memory, and its completion comes after every result.
void Nodes::settle(QueuePairId Q) const {
  NodeId Home = P.Threads[P.QueuePairs[Q].Owner].Home, Target = P.QueuePairs[Q].Target;
  ibv_sge Sge = {reinterpret_cast<uint64_t>(place(Home, 0)), 8, Regions[Home]->lkey};
  ibv_send_wr Wr = {}, *Bad;
  Wr.wr_id = Flushing;
  Wr.opcode = IBV_WR_RDMA_READ;
  Wr.send_flags = IBV_SEND_SIGNALED;
  Wr.sg_list = &Sge;
  Wr.num_sge = 1;
  Wr.wr.rdma.remote_addr = reinterpret_cast<uint64_t>(place(Target, 0));
  Wr.wr.rdma.rkey = Regions[Target]->rkey;
  CHECK(ibv_post_send(pair(Q), &Wr, &Bad) == 0);
  rdma_emulated_pass(Ages);
  ibv_wc Wc = {};
  do
    CHECK(ibv_poll_cq(completions(Q), 1, &Wc) == 1 && Wc.status == IBV_WC_SUCCESS);
  while (Wc.wr_id != Flushing);
}

} // namespace rdma::test
