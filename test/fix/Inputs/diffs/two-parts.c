/* Two words are sent from the stack by one list, of which the first may be on its way where the second fails. */
#include <infiniband/verbs.h>

int tell(struct ibv_qp *qp, uint32_t lkey, uint64_t remote, uint32_t rkey) {
  uint64_t words[2] = {1, 2};
  struct ibv_sge sge[2] = {{(uintptr_t)&words[0], sizeof words[0], lkey}, {(uintptr_t)&words[1], sizeof words[1], lkey}};
  struct ibv_send_wr second = {.opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge[1], .num_sge = 1}, *bad;
  struct ibv_send_wr first = {.next = &second, .opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge[0], .num_sge = 1};
  first.wr.rdma.remote_addr = remote;
  first.wr.rdma.rkey = second.wr.rdma.rkey = rkey;
  second.wr.rdma.remote_addr = remote + 8;
  if (ibv_post_send(qp, &first, &bad))
    return -1;
  return 0;
}
