// The class has a peer, and gives away its address.
#include "request.h"

static char record[64];

struct Peer {
  ibv_qp *qp;
  uint64_t remote;
  uint32_t rkey;
};

void connect_to(Peer *peer);

class Sender {
public:
  explicit Sender(const ibv_mr *mr) : mr_(mr) { connect_to(&to_); }
  const Peer *peer() const { return &to_; }
  int send(int slot) {
    return post(to_.qp, IBV_WR_RDMA_WRITE, record, sizeof record, mr_->lkey, to_.remote + 64u * slot, to_.rkey);
  }

private:
  Peer to_;
  const ibv_mr *mr_;
};

int send_two(const ibv_mr *mr) {
  Sender sender(mr);
  record[0] = 1;
  if (sender.send(0))
    return -1;
  record[0] = 2;
  return sender.send(1);
}
