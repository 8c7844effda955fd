// The queue pair is a member that only the class may name.
#include <infiniband/verbs.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

class Log {
public:
  Log(ibv_qp *qp, ibv_mr *mr, std::uint64_t remote, std::uint32_t rkey)
      : qp_(qp), mr_(mr), remote_(remote), rkey_(rkey) {}

  void append(std::string_view text) {
    std::memcpy(record_, text.data(), std::min(text.size(), sizeof record_));
    post();
    remote_ += sizeof record_;
  }

private:
  void post() {
    ibv_sge sge{reinterpret_cast<std::uintptr_t>(record_), sizeof record_, mr_->lkey};
    ibv_send_wr wr{}, *bad = nullptr;
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.wr.rdma.remote_addr = remote_;
    wr.wr.rdma.rkey = rkey_;
    if (ibv_post_send(qp_, &wr, &bad))
      throw std::runtime_error("post");
  }

  ibv_qp *qp_;
  ibv_mr *mr_;
  std::uint64_t remote_;
  std::uint32_t rkey_;
  char record_[128];
};

void log_twice(ibv_qp *qp, ibv_mr *mr, std::uint64_t remote, std::uint32_t rkey) {
  static Log log(qp, mr, remote, rkey);
  log.append("first");
  log.append("second");
}
