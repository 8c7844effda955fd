/* Fetches a word and passes it on in one call: the requests are members of what a caller keeps. */
#include <infiniband/verbs.h>
#include <string.h>

struct transfer {
  struct ibv_sge from, to;
  struct ibv_send_wr read, write;
};

static uint64_t word;

static void fill(struct ibv_send_wr *wr, struct ibv_sge *sge, enum ibv_wr_opcode opcode, uint64_t remote,
                 uint32_t rkey) {
  sge->addr = (uintptr_t)&word;
  sge->length = sizeof word;
  memset(wr, 0, sizeof *wr);
  wr->opcode = opcode;
  wr->sg_list = sge;
  wr->num_sge = 1;
  wr->wr.rdma.remote_addr = remote;
  wr->wr.rdma.rkey = rkey;
}

int pass_on(struct ibv_qp *qp, struct transfer *t, uint64_t remote, uint32_t rkey) {
  struct ibv_send_wr *bad;
  fill(&t->read, &t->from, IBV_WR_RDMA_READ, remote, rkey);
  fill(&t->write, &t->to, IBV_WR_RDMA_WRITE, remote + sizeof word, rkey);
  t->read.next = &t->write;
  return ibv_post_send(qp, &t->read, &bad);
}
