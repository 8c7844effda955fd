#include <infiniband/verbs.h>

int send_it(struct ibv_qp *qp, struct ibv_pd *pd, uint64_t address, uint32_t key);

int main(int argc, char **argv) {
  struct ibv_context *device = ibv_open_device(*ibv_get_device_list(&argc));
  struct ibv_pd *pd = ibv_alloc_pd(device);
  struct ibv_cq *cq = ibv_create_cq(device, 16, argv, 0, 0);
  struct ibv_qp_init_attr attr = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC};
  return send_it(ibv_create_qp(pd, &attr), pd, 0, 0);
}
