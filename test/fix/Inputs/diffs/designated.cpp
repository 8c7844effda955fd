// Both requests as designated initializers; the flag belongs into the second one's.
#include <infiniband/verbs.h>

#include <cstdint>

static std::uint64_t word;

bool pass_on(ibv_qp *qp, std::uint64_t remote, std::uint32_t rkey) {
  ibv_sge sge{.addr = reinterpret_cast<std::uintptr_t>(&word), .length = sizeof word, .lkey = 0};
  ibv_send_wr read{.wr_id = 1,
                   .next = nullptr,
                   .sg_list = &sge,
                   .num_sge = 1,
                   .opcode = IBV_WR_RDMA_READ,
                   .send_flags = IBV_SEND_SIGNALED,
                   .imm_data = 0,
                   .wr = {.rdma = {.remote_addr = remote, .rkey = rkey}},
                   .qp_type = {},
                   .bind_mw = {}};
  ibv_send_wr write{.wr_id = 2,
                    .next = nullptr,
                    .sg_list = &sge,
                    .num_sge = 1,
                    .opcode = IBV_WR_RDMA_WRITE,
                    .send_flags = IBV_SEND_SIGNALED,
                    .imm_data = 0,
                    .wr = {.rdma = {.remote_addr = remote + 8, .rkey = rkey}},
                    .qp_type = {},
                    .bind_mw = {}};
  ibv_send_wr *bad = nullptr;
  return ibv_post_send(qp, &read, &bad) == 0 && ibv_post_send(qp, &write, &bad) == 0;
}
