// Members of a class, linked when a transfer begins.
#include <infiniband/verbs.h>

#include <cstdint>

class Mover {
public:
  Mover(ibv_qp *qp, std::uint32_t rkey) : qp_(qp), rkey_(rkey) {}

  bool move(std::uint64_t from, std::uint64_t to) {
    prepare(read_, IBV_WR_RDMA_READ, from);
    prepare(write_, IBV_WR_RDMA_WRITE, to);
    read_.next = &write_;
    ibv_send_wr *bad = nullptr;
    return ibv_post_send(qp_, &read_, &bad) == 0;
  }

private:
  void prepare(ibv_send_wr &wr, ibv_wr_opcode opcode, std::uint64_t remote) {
    sge_ = {reinterpret_cast<std::uintptr_t>(&word_), sizeof word_, 0};
    wr = {};
    wr.opcode = opcode;
    wr.sg_list = &sge_;
    wr.num_sge = 1;
    wr.wr.rdma.remote_addr = remote;
    wr.wr.rdma.rkey = rkey_;
  }

  ibv_qp *qp_;
  std::uint32_t rkey_;
  ibv_sge sge_{};
  ibv_send_wr read_{}, write_{};
  std::uint64_t word_ = 0;
};

bool twice(Mover &mover, std::uint64_t remote) { return mover.move(remote, remote + 8); }
