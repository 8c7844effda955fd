/* The ticket that a fetch-and-add brings is used before it has come. */
#include <infiniband/verbs.h>

static uint64_t ticket;

int64_t take_ticket(struct ibv_qp *qp, struct ibv_mr *mr, uint64_t counter, uint32_t rkey) {
  struct ibv_sge into = {.addr = (uintptr_t)&ticket, .length = 8, .lkey = mr->lkey};
  struct ibv_send_wr add = {
      .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
      .send_flags = IBV_SEND_SIGNALED,
      .sg_list = &into,
      .num_sge = 1,
      .wr.atomic = {.remote_addr = counter, .compare_add = 1, .rkey = rkey},
  };
  struct ibv_send_wr *bad;

  if (ibv_post_send(qp, &add, &bad))
    return -1;
  return (int64_t)ticket;
}
