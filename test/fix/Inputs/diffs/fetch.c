/* Connections in a table, a helper that finds one by its number, clean-up by goto. */
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>

struct connection {
  struct ibv_qp *qp;
  uint64_t remote;
  uint32_t rkey;
};
static struct connection connections[8];

static int request(int number, enum ibv_wr_opcode what, void *local, uint32_t length, uint32_t lkey) {
  struct connection *c = &connections[number];
  struct ibv_sge sge = {.addr = (uintptr_t)local, .length = length, .lkey = lkey};
  struct ibv_send_wr wr = {.opcode = what, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1}, *bad;
  wr.wr.rdma.remote_addr = c->remote;
  wr.wr.rdma.rkey = c->rkey;
  return ibv_post_send(c->qp, &wr, &bad);
}

int fetch(int number, struct ibv_pd *pd, char **found, uint32_t length) {
  int error = -1;
  char *buffer = calloc(1, length);
  if (!buffer)
    return error;
  struct ibv_mr *mr = ibv_reg_mr(pd, buffer, length, IBV_ACCESS_LOCAL_WRITE);
  if (!mr)
    goto release;
  error = request(number, IBV_WR_RDMA_READ, buffer, length, mr->lkey);
  if (error)
    goto deregister;
  *found = strdup(buffer);
  if (!*found)
    error = -1;
deregister:
  ibv_dereg_mr(mr);
release:
  free(buffer);
  return error;
}
