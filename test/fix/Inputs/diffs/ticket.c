#include <infiniband/verbs.h>
#include <stdlib.h>

static uint64_t ticket;
static uint64_t counter; /* of the owner */

/* What connects is not among the sources. */
int connect_to(struct ibv_qp *qp, uint64_t *address, uint32_t *rkey);

struct line {
  struct ibv_qp *qp;
  struct ibv_cq *cq;
  uint64_t address;
  uint32_t rkey;
};

static void open_line(struct line *l, struct ibv_pd *pd) {
  struct ibv_qp_init_attr wanted = {.qp_type = IBV_QPT_RC, .cap = {16, 16, 1, 1, 0}};
  l->cq = ibv_create_cq(pd->context, 16, NULL, NULL, 0);
  wanted.send_cq = wanted.recv_cq = l->cq;
  l->qp = ibv_create_qp(pd, &wanted);
  if (!l->qp || connect_to(l->qp, &l->address, &l->rkey))
    exit(1);
}

static uint64_t draw(struct line *l, struct ibv_mr *mr) {
  struct ibv_sge sge = {.addr = (uintptr_t)&ticket, .length = 8, .lkey = mr->lkey};
  struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD}, *bad;
  struct ibv_wc wc;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.atomic.remote_addr = l->address;
  wr.wr.atomic.rkey = l->rkey;
  wr.wr.atomic.compare_add = 1;
  if (ibv_post_send(l->qp, &wr, &bad))
    exit(1);
  uint64_t mine = ticket;
  while (ibv_poll_cq(l->cq, 1, &wc) == 0)
    ;
  return mine;
}

uint64_t customer(struct ibv_pd *pd) {
  struct line l;
  uint64_t sum = 0;
  struct ibv_mr *mr = ibv_reg_mr(pd, &ticket, sizeof ticket, IBV_ACCESS_LOCAL_WRITE);
  open_line(&l, pd);
  for (int i = 0; i < 4; i++)
    sum += draw(&l, mr);
  return sum;
}

void owner(struct ibv_pd *pd) {
  struct line l;
  if (!ibv_reg_mr(pd, &counter, sizeof counter, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC))
    exit(1);
  open_line(&l, pd);
}
