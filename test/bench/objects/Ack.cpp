// An operation through an ack, awaited, against the same with nothing but verbs: in turn in one process, on
// its own node, and the median of the turns. The figure is how many times as long it takes.
#include "Bench.h"

#include <algorithm>
#include <infiniband/verbs.h>

namespace rdma::bench {

namespace {

using namespace std::chrono_literals;

constexpr unsigned Least = 9, Each = 50;
constexpr std::uint32_t Depth = options{}.depth; ///< of both queues, as an endpoint has them
constexpr int Most = 8;

/// A queue pair connected to itself, and memory.
struct raw {
  ibv_qp *Qp;
  ibv_cq *Cq;
  alignas(64) word Memory[16] = {};
  ibv_mr *Mr;

  raw() {
    ibv_device **List = ibv_get_device_list(nullptr);
    ibv_context *Device = ibv_open_device(List[0]);
    ibv_pd *Pd = ibv_alloc_pd(Device);
    CHECK(Device && Pd);
    Cq = ibv_create_cq(Device, static_cast<int>(Depth), nullptr, nullptr, 0);
    Mr =
        ibv_reg_mr(Pd, Memory, sizeof Memory,
                   static_cast<int>(IBV_ACCESS_LOCAL_WRITE) | static_cast<int>(IBV_ACCESS_REMOTE_WRITE) |
                       static_cast<int>(IBV_ACCESS_REMOTE_READ) | static_cast<int>(IBV_ACCESS_REMOTE_ATOMIC));
    ibv_qp_init_attr Init = {};
    Init.send_cq = Init.recv_cq = Cq;
    Init.qp_type = IBV_QPT_RC;
    Init.cap = {Depth, 1, 1, 1, inline_limit};
    Qp = ibv_create_qp(Pd, &Init);
    ibv_port_attr Port = {};
    CHECK(Cq && Mr && Qp && !ibv_query_port(Device, 1, &Port));
    ibv_qp_attr Attr = {};
    Attr.qp_state = IBV_QPS_INIT;
    Attr.port_num = 1;
    Attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
    CHECK(!ibv_modify_qp(Qp, &Attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
    Attr.qp_state = IBV_QPS_RTR;
    Attr.path_mtu = IBV_MTU_4096;
    Attr.dest_qp_num = Qp->qp_num;
    Attr.max_dest_rd_atomic = 16;
    Attr.min_rnr_timer = 12;
    Attr.ah_attr.dlid = Port.lid;
    Attr.ah_attr.port_num = 1;
    CHECK(!ibv_modify_qp(Qp, &Attr,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
    Attr.qp_state = IBV_QPS_RTS;
    Attr.timeout = 14;
    Attr.retry_cnt = Attr.rnr_retry = 7;
    Attr.max_rd_atomic = 16;
    CHECK(!ibv_modify_qp(Qp, &Attr,
                         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                             IBV_QP_MAX_QP_RD_ATOMIC));
  }
  void post(ibv_wr_opcode Opcode, unsigned Flags) {
    ibv_sge Part = {reinterpret_cast<std::uintptr_t>(&Memory[0]), sizeof(word), Mr->lkey};
    ibv_send_wr Wr = {}, *Bad;
    Wr.opcode = Opcode;
    Wr.send_flags = Flags;
    Wr.sg_list = &Part;
    Wr.num_sge = 1;
    if (Opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
      Wr.wr.atomic.remote_addr = reinterpret_cast<std::uintptr_t>(&Memory[8]);
      Wr.wr.atomic.rkey = Mr->rkey;
      Wr.wr.atomic.compare_add = 1;
    } else {
      Wr.wr.rdma.remote_addr = reinterpret_cast<std::uintptr_t>(&Memory[8]);
      Wr.wr.rdma.rkey = Mr->rkey;
    }
    CHECK(!ibv_post_send(Qp, &Wr, &Bad));
  }
  /// Takes so many completions, at most Most at a time, as the endpoint does.
  void complete(int Missing = 1) {
    ibv_wc Done[Most];
    while (Missing) {
      int Count = ibv_poll_cq(Cq, std::min(Missing, Most), Done);
      CHECK(Count >= 0);
      for (int I = 0; I < Count; ++I)
        CHECK(Done[I].status == IBV_WC_SUCCESS);
      Missing -= Count;
    }
  }
};

template <class Do> double timeOf(Do &&Once) {
  auto Begun = clock::now();
  for (unsigned I = 0; I < Each; ++I)
    Once();
  return seconds(clock::now() - Begun);
}

template <class Ours, class Raw> void compare(member &M, Ours &&ByAck, Raw &&ByVerbs) {
  manager Here(M.Hosts, M.Me, M.settings());
  channel Word("word", Here);
  Word.own("w", 2 * line_size);
  const remote &At = Word.other(M.Me, "w", 2 * line_size);
  Word.join();
  region From = Here.allocate(line_size);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  raw Verbs;
  std::vector<double> Ratios;
  for (auto Begun = clock::now(); Ratios.size() < Least || clock::now() - Begun < Settings.Time;) {
    double Acked = timeOf([&] { ByAck(Here.here(), At, From.words()); });
    Ratios.push_back(Acked / timeOf([&] { ByVerbs(Verbs); }));
  }
  std::sort(Ratios.begin(), Ratios.end());
  M.say(std::to_string(Ratios[Ratios.size() / 2]));
}

void put(member &M) {
  compare(
      M,
      [](endpoint &E, const remote &At, word *From) {
        ack Done;
        OK(E.put(At, From, sizeof(word), &Done));
        OK(E.wait(Done));
      },
      [](raw &R) { R.post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED), R.complete(); });
}

void get(member &M) {
  compare(
      M,
      [](endpoint &E, const remote &At, word *Into) {
        ack Done;
        OK(E.get(Into, At, sizeof(word), Done));
        OK(E.wait(Done));
      },
      [](raw &R) { R.post(IBV_WR_RDMA_READ, IBV_SEND_SIGNALED), R.complete(); });
}

void fetchAdd(member &M) {
  compare(
      M,
      [](endpoint &E, const remote &At, word *Into) {
        ack Done;
        OK(E.fetch_add(Into, At, 1, Done));
        OK(E.wait(Done));
      },
      [](raw &R) { R.post(IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_SEND_SIGNALED), R.complete(); });
}

/// Eight gets, one ack.
void several(member &M) {
  compare(
      M,
      [](endpoint &E, const remote &At, word *Into) {
        ack Done;
        for (unsigned I = 0; I < 8; ++I)
          OK(E.get(Into, At, sizeof(word), Done));
        OK(E.wait(Done));
      },
      [](raw &R) {
        for (unsigned I = 0; I < 8; ++I)
          R.post(IBV_WR_RDMA_READ, IBV_SEND_SIGNALED);
        R.complete(8);
      });
}

enter A("ack.put", put), B("ack.get", get), C("ack.fetch-add", fetchAdd), D("ack.eight-gets", several);

} // namespace

} // namespace rdma::bench
