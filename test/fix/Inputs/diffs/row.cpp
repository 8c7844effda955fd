// The requests of a list are kept by the standard library, and filled in a loop.
#include <infiniband/verbs.h>

#include <array>
#include <cstdint>

struct Record {
  std::uint64_t words[8];
};

/// Keeps a copy of what is there, and puts the new one in its place, by one call.
int exchange(ibv_qp *qp, std::array<Record, 2> &records, std::uint32_t lkey, std::uint64_t remote, std::uint32_t rkey) {
  std::array<ibv_sge, 2> sges{};
  std::array<ibv_send_wr, 2> requests{};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    sges[i].addr = reinterpret_cast<std::uintptr_t>(&records[i]);
    sges[i].length = sizeof records[i];
    sges[i].lkey = lkey;
    requests[i].opcode = i == 0 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
    requests[i].sg_list = &sges[i];
    requests[i].num_sge = 1;
    requests[i].wr.rdma.remote_addr = remote;
    requests[i].wr.rdma.rkey = rkey;
  }
  requests.front().next = &requests.back();
  ibv_send_wr *bad = nullptr;
  return ibv_post_send(qp, requests.data(), &bad);
}
