/* Keeps a copy of two records and puts new ones in their place, by one call. */
#include <infiniband/verbs.h>

static uint64_t kept[2], fresh[2];

static void prepare(struct ibv_send_wr *wr, struct ibv_sge *sge, enum ibv_wr_opcode what, uint64_t *local, uint32_t lkey,
                    uint64_t remote, uint32_t rkey) {
  *sge = (struct ibv_sge){(uintptr_t)local, sizeof *local, lkey};
  *wr = (struct ibv_send_wr){.opcode = what, .sg_list = sge, .num_sge = 1};
  wr->wr.rdma.remote_addr = remote;
  wr->wr.rdma.rkey = rkey;
}

int exchange(struct ibv_qp *qp, struct ibv_cq *cq, uint32_t lkey, uint64_t remote, uint32_t rkey) {
  struct ibv_sge sges[4];
  struct ibv_send_wr get_first, put_first, get_second, put_second, *bad;
  struct ibv_wc wc;
  prepare(&get_first, &sges[0], IBV_WR_RDMA_READ, &kept[0], lkey, remote, rkey);
  prepare(&put_first, &sges[1], IBV_WR_RDMA_WRITE, &fresh[0], lkey, remote, rkey);
  prepare(&get_second, &sges[2], IBV_WR_RDMA_READ, &kept[1], lkey, remote + 8, rkey);
  prepare(&put_second, &sges[3], IBV_WR_RDMA_WRITE, &fresh[1], lkey, remote + 8, rkey);
  get_first.next = &put_first;
  put_first.next = &get_second;
  get_second.next = &put_second;
  put_second.send_flags = IBV_SEND_SIGNALED;
  if (ibv_post_send(qp, &get_first, &bad))
    return -1;
  while (ibv_poll_cq(cq, 1, &wc) == 0)
    ;
  return wc.status;
}
