// A class of the project around the verbs; who uses it has no other name for the queue pair than its getter.
#include <infiniband/verbs.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

class Link {
public:
  Link(ibv_qp *qp, ibv_cq *cq, uint64_t remote, uint32_t rkey) : qp_(qp), cq_(cq), remote_(remote), rkey_(rkey) {}

  ibv_qp *qp() const { return qp_; }

  void write(const void *from, uint32_t length, ibv_mr *mr, uint64_t at) {
    ibv_sge sge{reinterpret_cast<uintptr_t>(from), length, mr->lkey};
    ibv_send_wr wr{}, *bad = nullptr;
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.wr.rdma.remote_addr = remote_ + at;
    wr.wr.rdma.rkey = rkey_;
    if (ibv_post_send(qp_, &wr, &bad))
      std::abort();
  }

  void complete() {
    ibv_wc wc;
    int count;
    while ((count = ibv_poll_cq(cq_, 1, &wc)) == 0)
      ;
    if (count < 0 || wc.status != IBV_WC_SUCCESS)
      std::abort();
  }

private:
  ibv_qp *qp_;
  ibv_cq *cq_;
  uint64_t remote_;
  uint32_t rkey_;
};

static char text[256];

void publish(Link &link, ibv_mr *mr, std::string_view name, std::string_view value) {
  std::memcpy(text, name.data(), std::min(name.size(), sizeof text));
  link.write(text, sizeof text, mr, 0);
  std::memcpy(text, value.data(), std::min(value.size(), sizeof text));
  link.write(text, sizeof text, mr, sizeof text);
  link.complete();
  link.complete();
}

void announce(Link &link, ibv_mr *mr) {
  link.write(text, sizeof text, mr, 0);
  link.complete();
}
