/* A ring of slots, each of which is filled word by word; more may be under way than there are slots. */
#include <infiniband/verbs.h>
#include <stdlib.h>

enum { SLOTS = 8, WINDOW = 16, WORDS = 4, RECORDS = 64 };

static uint64_t ring[SLOTS][WORDS];

static void append(struct ibv_qp *qp, struct ibv_mr *mr, unsigned record, uint64_t remote, uint32_t rkey) {
  struct ibv_sge sge = {.addr = (uintptr_t)ring[record % SLOTS], .length = sizeof ring[0], .lkey = mr->lkey};
  struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE,
                           .send_flags = IBV_SEND_SIGNALED,
                           .sg_list = &sge,
                           .num_sge = 1},
                     *bad;
  wr.wr.rdma.remote_addr = remote + record * sizeof ring[0];
  wr.wr.rdma.rkey = rkey;
  if (ibv_post_send(qp, &wr, &bad))
    exit(1);
}

static unsigned taken(struct ibv_cq *cq) {
  struct ibv_wc wc[4];
  int count = ibv_poll_cq(cq, 4, wc);
  if (count < 0)
    exit(1);
  return count;
}

void append_all(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_mr *mr, uint64_t remote, uint32_t rkey) {
  unsigned done = 0;
  for (unsigned record = 0; record < RECORDS; record++) {
    while (record - done >= WINDOW)
      done += taken(cq);
    for (int w = 0; w < WORDS; w++)
      ring[record % SLOTS][w] = record;
    append(qp, mr, record, remote, rkey);
  }
  while (done < RECORDS)
    done += taken(cq);
}
