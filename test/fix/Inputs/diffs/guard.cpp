// The buffer belongs to an owner that frees it at the end of the block.
#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>

struct Link {
  ibv_qp *qp;
  std::uint64_t remote;
  std::uint32_t rkey;
};

int ship(Link &link, ibv_mr *mr, std::uint64_t value) {
  auto cell = std::make_unique<std::uint64_t>(value);
  ibv_sge sge{reinterpret_cast<std::uintptr_t>(cell.get()), sizeof value, mr->lkey};
  ibv_send_wr wr{}, *bad = nullptr;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = link.remote;
  wr.wr.rdma.rkey = link.rkey;
  int error = ibv_post_send(link.qp, &wr, &bad);
  cell.reset();
  return error;
}
