// The class owns its queue pair, and lends it as a reference.
#include "request.h"

#include <memory>

static char record[64];

struct Destroy {
  void operator()(ibv_qp *qp) const { ibv_destroy_qp(qp); }
};

class Channel {
public:
  Channel(ibv_qp *qp, std::uint64_t remote, std::uint32_t rkey) : qp_(qp), remote_(remote), rkey_(rkey) {}
  ibv_qp &qp() const { return *qp_; }
  int send(const ibv_mr *mr, int slot) {
    return post(qp_, IBV_WR_RDMA_WRITE, record, sizeof record, mr->lkey, remote_ + 64u * slot, rkey_);
  }

private:
  ibv_qp *qp_;
  std::uint64_t remote_;
  std::uint32_t rkey_;
};

class Owner {
public:
  Owner(ibv_qp *qp, std::uint64_t remote, std::uint32_t rkey) : qp_(qp), remote_(remote), rkey_(rkey) {}
  ibv_qp *qp() const { return qp_.get(); }
  int send(const ibv_mr *mr, int slot) {
    return post(qp_.get(), IBV_WR_RDMA_WRITE, record, sizeof record, mr->lkey, remote_ + 64u * slot, rkey_);
  }

private:
  std::unique_ptr<ibv_qp, Destroy> qp_;
  std::uint64_t remote_;
  std::uint32_t rkey_;
};

int send_two(Channel &channel, const ibv_mr *mr) {
  record[0] = 1;
  if (channel.send(mr, 0))
    return -1;
  record[0] = 2;
  return channel.send(mr, 1);
}

int send_two(Owner &owner, const ibv_mr *mr) {
  record[0] = 1;
  if (owner.send(mr, 0))
    return -1;
  record[0] = 2;
  return owner.send(mr, 1);
}
