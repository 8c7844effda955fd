// A class posts what it is told to, READs and WRITEs: the flag belongs on the one WRITE that must wait.
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdint.h>

static uint64_t saved, fresh;

struct Request {
  ibv_sge sge{};
  ibv_send_wr wr{};

  Request(ibv_wr_opcode what, const uint64_t *local, const ibv_mr *mr, uint64_t remote, uint32_t rkey) {
    sge.addr = reinterpret_cast<uintptr_t>(local);
    sge.length = sizeof *local;
    sge.lkey = mr->lkey;
    wr.opcode = what;
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.wr.rdma.remote_addr = remote;
    wr.wr.rdma.rkey = rkey;
  }

  int post(ibv_qp *qp) {
    ibv_send_wr *bad = nullptr;
    return ibv_post_send(qp, &wr, &bad);
  }
};

int replace(ibv_qp *qp, const ibv_mr *mr, uint64_t remote, uint32_t rkey) {
  Request read(IBV_WR_RDMA_READ, &saved, mr, remote, rkey);
  Request write(IBV_WR_RDMA_WRITE, &fresh, mr, remote, rkey);
  if (read.post(qp))
    return -1;
  return write.post(qp);
}
