// The rows of runtime-compare through libibverbs, on whatever device is found first.
#include "Pair.h"

#include <endian.h>
#include <infiniband/verbs.h>

using namespace bench;

namespace {

constexpr unsigned Depth = 128, Batch = 32;

/// A queue pair connected to the other process, and a registered buffer on each side.
struct Link {
  explicit Link(Pair &Two);
  void connect(const Card &There);

  ibv_qp *Qp;
  ibv_cq *Cq;
  char *Memory;
  uint32_t Key;
  Card Remote;
};

template <typename T> T *must(T *Object, const char *What) {
  if (!Object)
    fail(What);
  return Object;
}

Link::Link(Pair &Two) {
  ibv_device **List = must(ibv_get_device_list(nullptr), "ibv_get_device_list");
  ibv_context *Context = must(List[0] ? ibv_open_device(List[0]) : nullptr, "ibv_open_device");
  ibv_pd *Pd = must(ibv_alloc_pd(Context), "ibv_alloc_pd");
  Cq = must(ibv_create_cq(Context, 2 * Depth, nullptr, nullptr, 0), "ibv_create_cq");
  Memory = buffer();
  ibv_mr *Mr = must(ibv_reg_mr(Pd, Memory, BufferSize,
                               IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                                   IBV_ACCESS_REMOTE_ATOMIC),
                    "ibv_reg_mr");
  Key = Mr->lkey;
  ibv_qp_init_attr Init = {};
  Init.send_cq = Init.recv_cq = Cq;
  Init.qp_type = IBV_QPT_RC;
  Init.cap = {Depth, Depth, 1, 1, 64};
  Qp = must(ibv_create_qp(Pd, &Init), "ibv_create_qp");
  ibv_port_attr Port = {};
  ibv_query_port(Context, 1, &Port);
  Card Mine;
  Mine.Address = reinterpret_cast<uint64_t>(Memory);
  Mine.Key = Mr->rkey;
  Mine.Number = Qp->qp_num;
  Mine.Lid = Port.lid;
  Remote = Two.exchange(Mine);
  connect(Remote);
  Two.meet();
}

void Link::connect(const Card &There) {
  ibv_qp_attr Attr = {};
  Attr.qp_state = IBV_QPS_INIT;
  Attr.port_num = 1;
  Attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  int Error = ibv_modify_qp(Qp, &Attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  Attr.qp_state = IBV_QPS_RTR;
  Attr.path_mtu = IBV_MTU_4096;
  Attr.dest_qp_num = There.Number;
  Attr.max_dest_rd_atomic = 16;
  Attr.min_rnr_timer = 12;
  Attr.ah_attr.dlid = static_cast<uint16_t>(There.Lid);
  Attr.ah_attr.port_num = 1;
  Error |= ibv_modify_qp(Qp, &Attr,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  Attr.qp_state = IBV_QPS_RTS;
  Attr.timeout = 14;
  Attr.retry_cnt = Attr.rnr_retry = 7;
  Attr.max_rd_atomic = 16;
  Error |= ibv_modify_qp(Qp, &Attr,
                         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                             IBV_QP_MAX_QP_RD_ATOMIC);
  if (Error)
    fail("ibv_modify_qp");
}

/// A list of equal requests, the last of which completes.
struct Requests {
  Requests(const Link &L, ibv_wr_opcode Opcode, uint32_t Size, unsigned Count = 1) : List(Count) {
    Entry = {reinterpret_cast<uint64_t>(L.Memory), Size, L.Key};
    for (unsigned I = 0; I < Count; ++I) {
      ibv_send_wr &W = List[I];
      W.next = I + 1 < Count ? &List[I + 1] : nullptr;
      W.sg_list = &Entry;
      W.num_sge = 1;
      W.opcode = Opcode;
      bool IsAtomic = Opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
      (IsAtomic ? W.wr.atomic.remote_addr : W.wr.rdma.remote_addr) = L.Remote.Address + BufferSize / 2;
      (IsAtomic ? W.wr.atomic.rkey : W.wr.rdma.rkey) = static_cast<uint32_t>(L.Remote.Key);
      if (IsAtomic)
        W.wr.atomic.compare_add = 1;
    }
    signal(true);
  }
  Requests(const Requests &) = delete;

  void signal(bool Wanted) { List.back().send_flags = Wanted ? IBV_SEND_SIGNALED : 0u; }
  ibv_sge Entry = {};
  std::vector<ibv_send_wr> List;
};

void post(Link &L, Requests &R) {
  ibv_send_wr *Bad;
  if (ibv_post_send(L.Qp, R.List.data(), &Bad))
    fail("ibv_post_send");
}

void awaitCompletion(Link &L) {
  ibv_wc Done;
  int Count;
  while ((Count = ibv_poll_cq(L.Cq, 1, &Done)) == 0) {
  }
  if (Count < 0 || Done.status != IBV_WC_SUCCESS)
    fail("a request");
}

/// What the parent measures while the child only lends its memory.
template <typename Work> double alone(Work &&Measure) {
  Pair Two;
  Link L(Two);
  double Value = Two.isPeer() ? 0 : Measure(L);
  Two.meet();
  if (Two.isPeer())
    _exit(0);
  return Value;
}

/// Both take turns; each turn of the parent is timed. Half a round trip.
template <typename Side> double turns(unsigned Count) {
  Pair Two;
  Link L(Two);
  Side S(L);
  Two.meet();
  auto Turn = [&](uint64_t Number) {
    if (!Two.isPeer())
      S.send(Number);
    S.receive(Number);
    if (Two.isPeer())
      S.send(Number);
  };
  uint64_t Number = 0;
  double Time = medianTime(Count, [&] { Turn(++Number); }) / 2;
  Two.meet();
  if (Two.isPeer())
    _exit(0);
  return Time;
}

/// WRITEs that the other watches its memory for; one in 16 completes.
struct WriteSide {
  explicit WriteSide(Link &L) : L(L), R(L, IBV_WR_RDMA_WRITE, 8) {}
  void send(uint64_t Number) {
    memcpy(L.Memory, &Number, 8);
    R.signal(Number % 16 == 0);
    post(L, R);
    if (Number % 16 == 0)
      awaitCompletion(L);
  }
  void receive(uint64_t Number) {
    auto *Watched = reinterpret_cast<volatile uint64_t *>(L.Memory + BufferSize / 2);
    while (*Watched != Number) {
    }
  }
  Link &L;
  Requests R;
};

/// SENDs; the other polls its completion queue. One in 16 completes, and receives are posted 16 at a time.
struct SendSide {
  explicit SendSide(Link &L) : L(L), R(L, IBV_WR_SEND, 8) {
    Entry = {reinterpret_cast<uint64_t>(L.Memory + BufferSize / 2), 8, L.Key};
    for (unsigned I = 0; I < Ahead; ++I)
      Receives[I] = {0, I + 1 < Ahead ? &Receives[I + 1] : nullptr, &Entry, 1};
    postReceives();
    postReceives();
  }
  void postReceives() {
    ibv_recv_wr *Bad;
    if (ibv_post_recv(L.Qp, Receives, &Bad))
      fail("ibv_post_recv");
  }
  void send(uint64_t Number) {
    bool Renews = Number % Ahead == 0;
    R.signal(Renews);
    post(L, R);
    if (!Renews)
      return;
    await(IBV_WC_SEND, Sent);
    postReceives();
  }
  void receive(uint64_t) { await(IBV_WC_RECV, Received); }
  /// The completion that is waited for may come after one of the other kind.
  void await(ibv_wc_opcode Opcode, unsigned &Here) {
    ibv_wc Done;
    while (!Here) {
      if (ibv_poll_cq(L.Cq, 1, &Done) == 0)
        continue;
      if (Done.status != IBV_WC_SUCCESS)
        fail("a request");
      ++(Done.opcode == Opcode ? Here : &Here == &Sent ? Received : Sent);
    }
    --Here;
  }
  static constexpr unsigned Ahead = 16;
  Link &L;
  Requests R;
  ibv_sge Entry;
  ibv_recv_wr Receives[Ahead];
  unsigned Sent = 0, Received = 0;
};

double complete(ibv_wr_opcode Opcode) {
  return alone([&](Link &L) {
    Requests R(L, Opcode, 8);
    return medianTime(96000, [&] { post(L, R), awaitCompletion(L); });
  });
}

/// Requests a second, of which the last of each list completes.
double many(ibv_wr_opcode Opcode, uint32_t Size, unsigned Calls, unsigned Count) {
  return alone([&](Link &L) {
    Requests R(L, Opcode, Size, Count);
    return rate(Calls, Count, [&] { post(L, R), awaitCompletion(L); });
  });
}

/// One request a call, of which one in 32 completes.
double single() {
  return alone([](Link &L) {
    Requests R(L, IBV_WR_RDMA_WRITE, 8);
    return rate(20000, Batch,
                [&] {
                  R.signal(false);
                  for (unsigned I = 1; I < Batch; ++I)
                    post(L, R);
                  R.signal(true);
                  post(L, R), awaitCompletion(L);
                }) /
           1e6;
  });
}

double millions(ibv_wr_opcode Opcode) { return many(Opcode, 8, 20000, Batch) / 1e6; }
double gigabytes(ibv_wr_opcode Opcode, uint32_t Size) {
  return many(Opcode, Size, Size > 4096 ? 100 : 5000, Size > 4096 ? 4 : Batch) * Size / 1e9;
}

const Row Rows[] = {
    {"write-latency", [] { return turns<WriteSide>(50000); }},
    {"write-complete", [] { return complete(IBV_WR_RDMA_WRITE); }},
    {"write-rate", [] { return millions(IBV_WR_RDMA_WRITE); }},
    {"write-rate-single", single},
    {"write-4k", [] { return gigabytes(IBV_WR_RDMA_WRITE, 4096); }},
    {"write-1m", [] { return gigabytes(IBV_WR_RDMA_WRITE, 1 << 20); }},
    {"read-complete", [] { return complete(IBV_WR_RDMA_READ); }},
    {"read-4k", [] { return gigabytes(IBV_WR_RDMA_READ, 4096); }},
    {"read-1m", [] { return gigabytes(IBV_WR_RDMA_READ, 1 << 20); }},
    {"fetch-add-rate", [] { return millions(IBV_WR_ATOMIC_FETCH_AND_ADD); }},
    {"send-latency", [] { return turns<SendSide>(50000); }},
};

} // namespace

int main(int Count, char **Arguments) { return run(Rows, Count, Arguments); }
