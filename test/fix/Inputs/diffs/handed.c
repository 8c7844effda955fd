/* A READ, and a WRITE of what it brings, by one helper that is given the flags. */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <string.h>

static char page[4096];

static int post(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint32_t lkey, uint64_t at, uint32_t rkey, unsigned flags) {
  struct ibv_sge sge = {(uintptr_t)page, sizeof page, lkey};
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.opcode = opcode;
  wr.send_flags = flags;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = at;
  wr.wr.rdma.rkey = rkey;
  return ibv_post_send(qp, &wr, &bad);
}

static int post_write(struct ibv_qp *qp, uint32_t lkey, uint64_t to, uint32_t rkey, unsigned flags) {
  return post(qp, IBV_WR_RDMA_WRITE, lkey, to, rkey, flags | IBV_SEND_SOLICITED);
}

int move_page(struct ibv_qp *qp, uint32_t lkey, uint64_t from, uint64_t to, uint32_t rkey, int last);
int move_page(struct ibv_qp *qp, uint32_t lkey, uint64_t from, uint64_t to, uint32_t rkey, int last) {
  int err = post(qp, IBV_WR_RDMA_READ, lkey, from, rkey, 0);
  if (err)
    return err;
  return post_write(qp, lkey, to, rkey, last ? IBV_SEND_SIGNALED : 0);
}
