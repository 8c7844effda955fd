// A generic lambda, called twice in one condition: nothing can stand between the calls.
#include <infiniband/verbs.h>

#include <cstdint>

static std::uint64_t word;

bool twice(ibv_qp *qp, std::uint64_t remote, std::uint32_t rkey) {
  auto send = [=](auto value) {
    word = static_cast<std::uint64_t>(value);
    ibv_sge sge{reinterpret_cast<std::uintptr_t>(&word), sizeof word, 0};
    ibv_send_wr wr{}, *bad = nullptr;
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.wr.rdma.remote_addr = remote;
    wr.wr.rdma.rkey = rkey;
    return ibv_post_send(qp, &wr, &bad) == 0;
  };
  return send(1) && send(2u);
}
