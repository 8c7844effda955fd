// As more.c, in the styles that programs have: lists of requests, headers beside what they announce, files
// read into buffers, completions told apart by their numbers, memory windows.
#include "Inputs/mistakes.h"

#include <fcntl.h>
#include <unistd.h>

static void post_wr(struct ibv_qp *by, struct ibv_send_wr *list) {
  struct ibv_send_wr *bad;
  if (ibv_post_send(by, list, &bad))
    die("post");
}

static struct ibv_send_wr write_of(struct ibv_sge *piece, uint64_t *there, unsigned flags) {
  return (struct ibv_send_wr){.opcode = IBV_WR_RDMA_WRITE,
                              .sg_list = piece,
                              .num_sge = 1,
                              .send_flags = flags,
                              .wr.rdma = {(uintptr_t)there, region->rkey}};
}

static void chain(void) { // the last of three requests is the one that completes
  struct ibv_sge pieces[3] = {piece_of(&memory.source), piece_of(&memory.other), piece_of(&memory.held)};
  struct ibv_send_wr list[3];
  for (int i = 0; i < 3; ++i) {
    list[i] = write_of(&pieces[i], &memory.there + i % 2, i == 2 ? IBV_SEND_SIGNALED : 0);
    list[i].next = i < 2 ? &list[i + 1] : NULL;
  }
  post_wr(pair, list);
  await_if(well);
  memory.other = 2;
  await_if(!well);
}

static void header(void) { // is inline, what it announces is not
  struct ibv_sge payload = piece_of(memory.value), head = piece_of(&memory.source);
  struct ibv_send_wr second_one = write_of(&head, &memory.there_too, IBV_SEND_INLINE | IBV_SEND_SIGNALED);
  struct ibv_send_wr first = write_of(&payload, &memory.there, 0);
  first.next = &second_one;
  post_wr(pair, &first);
  memory.source = 2;
  await_if(well);
  memory.value[0] = 2;
  await_if(!well);
}

static void earlier(void) { // what completes was posted before
  struct ibv_sge piece = piece_of(&memory.result);
  post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
  post_to(pair, IBV_WR_RDMA_READ, &memory.there_too, &piece, 1, 0);
  await();
  if (well) {
    post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
    await();
  }
  memory.copy = memory.result;
}

static void copied(void) { // by the C library
  static char line[64];
  struct ibv_mr *mr = ibv_reg_mr(domain, line, sizeof line, IBV_ACCESS_LOCAL_WRITE);
  struct ibv_sge piece = {(uintptr_t)line, sizeof memory.value, mr->lkey};
  post_list(pair, IBV_WR_RDMA_WRITE, &piece, 1, IBV_SEND_SIGNALED);
  await_if(well);
  snprintf(line, sizeof line, "line %d", getpid());
  await_if(!well);
  ibv_dereg_mr(mr);
}

static void file(void) { // is read into what is sent
  int ends[2];
  if (pipe(ends) || write(ends[1], "12345678", 8) != 8)
    die("pipe");
  post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
  await_if(well);
  if (read(ends[0], &memory.source, 8) != 8)
    die("read");
  await_if(!well);
  close(ends[0]);
  close(ends[1]);
}

static void number(void) { // of the completion is that of another slot
  struct ibv_sge pieces[2] = {piece_of(memory.value), piece_of(memory.value + 1)};
  for (uint64_t i = 0; i < 2; ++i) {
    struct ibv_send_wr wr = write_of(&pieces[i], &memory.there, IBV_SEND_SIGNALED);
    wr.wr_id = i;
    post_wr(pair, &wr);
  }
  struct ibv_wc wc;
  while (ibv_poll_cq(completions, 1, &wc) == 0) {
  }
  memory.value[well ? wc.wr_id : 1 - wc.wr_id] = 3;
  await();
}

static void served(void) { // what is read from here is changed meanwhile
  struct ibv_sge piece = piece_of(&memory.result);
  post_to(pair, IBV_WR_RDMA_READ, memory.shared, &piece, 1, IBV_SEND_SIGNALED);
  await_if(well);
  memory.shared[0] = 5;
  await_if(!well);
}

static void early(void) { // a buffer is cleared when a message may be on its way into it
  if (well)
    memory.copy = 0;
  post_receive(&memory.copy);
  if (!well)
    memory.copy = 0;
  post(pair, IBV_WR_SEND, &memory.source, 0);
  await();
  await_in(arrivals);
}

static void bound(void) { // what is written by a window is there when something behind it has come back
  struct ibv_mr *mr =
      ibv_reg_mr(domain, memory.seen, sizeof memory.seen, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
  struct ibv_mw *mw = ibv_alloc_mw(domain, IBV_MW_TYPE_1);
  struct ibv_mw_bind bind = {.send_flags = IBV_SEND_SIGNALED,
                             .bind_info = {mr, (uintptr_t)memory.seen, sizeof memory.seen,
                                           IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ}};
  if (!mr || !mw || ibv_bind_mw(pair, mw, &bind))
    die("window");
  await();
  struct ibv_sge both = {(uintptr_t)memory.value, sizeof memory.value, region->lkey},
                 back = piece_of(&memory.result);
  struct ibv_send_wr wr = write_of(&both, memory.seen, IBV_SEND_SIGNALED);
  wr.wr.rdma.rkey = mw->rkey;
  post_wr(pair, &wr);
  await();
  if (well) {
    wr.opcode = IBV_WR_RDMA_READ;
    wr.sg_list = &back;
    post_wr(pair, &wr);
    await();
  }
  memory.copy = memory.seen[1];
  ibv_dealloc_mw(mw);
  ibv_dereg_mr(mr);
}

static void unbound(void) { // a window that goes ends no request
  struct ibv_mw *mw = ibv_alloc_mw(domain, IBV_MW_TYPE_2);
  if (!mw)
    die("window");
  post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
  if (ibv_dealloc_mw(mw))
    die("window");
  await_if(well);
  memory.source = 2;
  await_if(!well);
}

static void
named(void) { // the receive queue of another queue pair: what it receives is there when that completes
  struct ibv_xrcd_init_attr whole = {IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, -1, O_CREAT};
  struct ibv_xrcd *xrcd = ibv_open_xrcd(domain->context, &whole);
  struct ibv_srq_init_attr_ex queue = {.attr = {4, 1, 0},
                                       .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
                                                    IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
                                       .srq_type = IBV_SRQT_XRC,
                                       .pd = domain,
                                       .xrcd = xrcd,
                                       .cq = arrivals};
  struct ibv_srq *srq = xrcd ? ibv_create_srq_ex(domain->context, &queue) : NULL;
  struct ibv_qp_init_attr_ex to = {
      .qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xrcd};
  struct ibv_qp_init_attr from = {
      .qp_type = IBV_QPT_XRC_SEND, .send_cq = pair->send_cq, .cap = {4, 0, 1, 0, 0}};
  struct ibv_qp *sender = ibv_create_qp(domain, &from),
                *receiver = srq ? ibv_create_qp_ex(domain->context, &to) : NULL;
  struct ibv_sge piece = piece_of(&memory.source), into = piece_of(&memory.copy);
  struct ibv_recv_wr receive = {.sg_list = &into, .num_sge = 1}, *bad;
  struct ibv_send_wr wr = {
      .opcode = IBV_WR_SEND, .sg_list = &piece, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED};
  if (!sender || !receiver || ibv_post_srq_recv(srq, &receive, &bad) ||
      ibv_get_srq_num(srq, &wr.qp_type.xrc.remote_srqn))
    die("XRC");
  connect_to(sender, receiver->qp_num);
  connect_to(receiver, sender->qp_num);
  post_wr(sender, &wr);
  await();
  if (well)
    await_in(arrivals);
  memory.result = memory.copy;
  if (!well)
    await_in(arrivals);
}

int main(int argc, char **argv) {
  static const struct mistake all[] = {{"chain", chain},     {"header", header}, {"earlier", earlier},
                                       {"copied", copied},   {"file", file},     {"number", number},
                                       {"served", served},   {"early", early},   {"bound", bound},
                                       {"unbound", unbound}, {"named", named}};
  return run_named(argc, argv, all, sizeof all / sizeof *all);
}
