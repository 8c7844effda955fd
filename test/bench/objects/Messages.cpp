#include "Messages.h"

#include "test/objects/Group.h"

namespace rdma::bench {

messages::messages(const std::string &Name, manager &Manager, unsigned Links)
    : channel(Name, Manager), Links(Links), Ways(Manager.nodes() * Links) {
  ibv_device **List = ibv_get_device_list(nullptr);
  CHECK(List && List[0]);
  Device = ibv_open_device(List[0]);
  ibv_free_device_list(List);
  CHECK(Device);
  Pd = ibv_alloc_pd(Device);
  ibv_port_attr Port = {};
  CHECK(Pd && !ibv_query_port(Device, 1, &Port));
  Lid = Port.lid;
  for (node_id N : Manager.all().without(me()))
    for (unsigned L = 0; L < Links; ++L)
      make(at(N, L));
  std::size_t Size = Ways.size() * sizeof(word);
  Cards = own("cards", Size).words();
  for (node_id N : Manager.all())
    CardsAt.push_back(&other(N, "cards", Size));
  join();
}

messages::~messages() {
  for (way &W : Ways) {
    if (!W.Qp)
      continue;
    ibv_destroy_qp(W.Qp);
    ibv_destroy_cq(W.Sent);
    ibv_destroy_cq(W.Received);
    ibv_dereg_mr(W.Mr);
  }
  ibv_dealloc_pd(Pd);
  ibv_close_device(Device);
}

void messages::make(way &W) {
  W.Sent = ibv_create_cq(Device, Deep, nullptr, nullptr, 0);
  W.Received = ibv_create_cq(Device, Deep, nullptr, nullptr, 0);
  W.Buffers.resize(2 * Deep * Largest);
  W.Mr = ibv_reg_mr(Pd, W.Buffers.data(), W.Buffers.size(), static_cast<int>(IBV_ACCESS_LOCAL_WRITE));
  ibv_qp_init_attr Init = {};
  Init.send_cq = W.Sent;
  Init.recv_cq = W.Received;
  Init.qp_type = IBV_QPT_RC;
  Init.cap = {Deep, Deep, 1, 1, 64};
  W.Qp = ibv_create_qp(Pd, &Init);
  CHECK(W.Sent && W.Received && W.Mr && W.Qp);
  ibv_qp_attr Attr = {};
  Attr.qp_state = IBV_QPS_INIT;
  Attr.port_num = 1;
  CHECK(!ibv_modify_qp(W.Qp, &Attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
  for (unsigned B = 0; B < Deep; ++B)
    take(W, B);
}

void messages::take(way &W, unsigned Buffer) {
  ibv_sge Part = {reinterpret_cast<std::uintptr_t>(&W.Buffers[Buffer * Largest]), Largest, W.Mr->lkey};
  ibv_recv_wr Wr = {}, *Bad;
  Wr.wr_id = Buffer;
  Wr.sg_list = &Part;
  Wr.num_sge = 1;
  CHECK(!ibv_post_recv(W.Qp, &Wr, &Bad));
}

void messages::bring(way &W, const card &There) {
  ibv_qp_attr Attr = {};
  Attr.qp_state = IBV_QPS_RTR;
  Attr.path_mtu = IBV_MTU_4096;
  Attr.dest_qp_num = There.Number;
  Attr.max_dest_rd_atomic = 1;
  Attr.min_rnr_timer = 12;
  Attr.ah_attr.dlid = static_cast<std::uint16_t>(There.Lid);
  Attr.ah_attr.port_num = 1;
  CHECK(!ibv_modify_qp(W.Qp, &Attr,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                           IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
  Attr.qp_state = IBV_QPS_RTS;
  Attr.timeout = 14;
  Attr.retry_cnt = Attr.rnr_retry = 7;
  Attr.max_rd_atomic = 1;
  CHECK(!ibv_modify_qp(W.Qp, &Attr,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                           IBV_QP_MAX_QP_RD_ATOMIC));
}

void messages::connect(const std::function<void()> &Meet) {
  for (node_id N : owner().all().without(me()))
    for (unsigned L = 0; L < Links; ++L) {
      card Mine = {at(N, L).Qp->qp_num, Lid};
      word Image;
      std::memcpy(&Image, &Mine, sizeof Image);
      OK(owner().here().put_word(CardsAt[N]->word_at(me() * Links + L), Image));
    }
  Meet();
  for (node_id N : owner().all().without(me()))
    for (unsigned L = 0; L < Links; ++L) {
      card There;
      word Image = load(Cards[N * Links + L]);
      std::memcpy(&There, &Image, sizeof There);
      bring(at(N, L), There);
    }
  Meet();
}

void messages::send(node_id To, unsigned Link, const void *Data, std::size_t Size) {
  way &W = at(To, Link);
  char *Buffer = &W.Buffers[(Deep + W.Posted++ % Deep) * Largest];
  std::memcpy(Buffer, Data, Size);
  ibv_sge Part = {reinterpret_cast<std::uintptr_t>(Buffer), static_cast<std::uint32_t>(Size), W.Mr->lkey};
  ibv_send_wr Wr = {}, *Bad;
  Wr.opcode = IBV_WR_SEND;
  Wr.sg_list = &Part;
  Wr.num_sge = 1;
  Wr.send_flags = Size <= 64 ? IBV_SEND_INLINE : 0;
  bool Signal = ++W.Unsignaled == Deep / 4;
  if (Signal)
    Wr.send_flags |= IBV_SEND_SIGNALED;
  CHECK(!ibv_post_send(W.Qp, &Wr, &Bad));
  if (!Signal)
    return;
  W.Unsignaled = 0;
  ibv_wc Done;
  patience Wait;
  int Count;
  while ((Count = ibv_poll_cq(W.Sent, 1, &Done)) == 0)
    Wait.step();
  CHECK(Count == 1 && Done.status == IBV_WC_SUCCESS);
}

bool messages::receive(node_id From, unsigned Link, void *Into, std::size_t Size) {
  way &W = at(From, Link);
  ibv_wc Done;
  int Count = ibv_poll_cq(W.Received, 1, &Done);
  if (Count == 0)
    return false;
  CHECK(Count == 1 && Done.status == IBV_WC_SUCCESS);
  std::memcpy(Into, &W.Buffers[Done.wr_id * Largest], Size);
  take(W, static_cast<unsigned>(Done.wr_id));
  return true;
}

} // namespace rdma::bench
