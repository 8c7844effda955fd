// The connection is owned by a pointer; helpers get a reference. How often it was used is counted beside the buffer.
#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>

struct Connection {
  ibv_qp *qp;
  ibv_mr *mr;
  std::uint64_t remote;
  std::uint32_t rkey;
  std::uint64_t sent;
  char text[64];
};

static ibv_sge entry(const void *from, std::uint32_t length, std::uint32_t lkey) {
  return {reinterpret_cast<std::uintptr_t>(from), length, lkey};
}

static bool send(Connection &c) {
  ibv_sge sge = entry(c.text, sizeof c.text, c.mr->lkey);
  ibv_send_wr wr{}, *bad;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = c.remote + 64 * c.sent;
  wr.wr.rdma.rkey = c.rkey;
  c.sent++;
  return ibv_post_send(c.qp, &wr, &bad) == 0;
}

bool send_both(const std::unique_ptr<Connection> &connection) {
  connection->text[0] = 'a';
  if (!send(*connection))
    return false;
  connection->text[0] = 'b';
  return send(*connection);
}
