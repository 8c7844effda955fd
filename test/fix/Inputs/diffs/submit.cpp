// Requests are built by an object from its beginning until it is submitted; nothing else may be posted meanwhile.
#include <infiniband/verbs.h>

namespace {

class Batch {
public:
  explicit Batch(ibv_qp_ex *qp) : qp_(qp) { ibv_wr_start(qp_); }
  ~Batch() {
    if (!done_)
      ibv_wr_abort(qp_);
  }
  Batch(const Batch &) = delete;
  void write(uint64_t id, const ibv_mr &mr, const void *from, uint32_t size, uint32_t rkey, uint64_t to) {
    qp_->wr_id = id;
    qp_->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_write(qp_, rkey, to);
    ibv_wr_set_sge(qp_, mr.lkey, reinterpret_cast<uintptr_t>(from), size);
  }
  int submit() {
    done_ = true;
    return ibv_wr_complete(qp_);
  }

private:
  ibv_qp_ex *qp_;
  bool done_ = false;
};

uint64_t buffer[8];

} // namespace

int sendAll(ibv_qp_ex *qp, const ibv_mr &mr, uint64_t to, uint32_t rkey) {
  for (uint64_t i = 0; i < 30; ++i) {
    Batch batch(qp);
    for (auto &word : buffer)
      word = i + 1;
    batch.write(i, mr, buffer, sizeof buffer, rkey, to);
    if (batch.submit())
      return -1;
  }
  return 0;
}
