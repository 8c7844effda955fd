#include <infiniband/verbs.h>
#include <string.h>

struct record {
  uint64_t words[8];
};
enum { SAVE, REPLACE, REQUESTS };

/* Keeps a copy of what is there, and puts the new one in its place, by one call. */
int exchange(struct ibv_qp *qp, struct ibv_cq *cq, struct record *kept, struct record *fresh, uint32_t lkey,
             uint64_t remote, uint32_t rkey) {
  struct ibv_sge sge[REQUESTS] = {{(uintptr_t)kept, sizeof *kept, lkey}, {(uintptr_t)fresh, sizeof *fresh, lkey}};
  struct ibv_send_wr wr[REQUESTS], *bad;
  struct ibv_wc wc;
  memset(wr, 0, sizeof wr);
  for (int i = 0; i < REQUESTS; i++) {
    wr[i].sg_list = &sge[i];
    wr[i].num_sge = 1;
    wr[i].wr.rdma.remote_addr = remote;
    wr[i].wr.rdma.rkey = rkey;
    wr[i].next = i + 1 < REQUESTS ? &wr[i + 1] : NULL;
  }
  wr[SAVE].opcode = IBV_WR_RDMA_READ;
  wr[REPLACE].opcode = IBV_WR_RDMA_WRITE;
  wr[REPLACE].send_flags = IBV_SEND_SIGNALED;
  if (ibv_post_send(qp, wr, &bad))
    return -1;
  while (ibv_poll_cq(cq, 1, &wc) == 0)
    ;
  return wc.status;
}
