/* Up to eight messages are under way at once, from a ring of four slots; the poll takes what there is. At the
 * end the first is read back, and what is polled then has to be that READ. */
#include <rdma/order.h>

#include "fix.h"

enum { SLOTS = 4, WINDOW = 8 };
static struct message ring[SLOTS];

static int read_back(const struct connection *from, struct message *into, struct ibv_mr *mr) {
  struct ibv_sge sge = {.addr = (uintptr_t)into, .length = sizeof *into, .lkey = mr->lkey};
  struct ibv_send_wr wr = {.wr_id = MESSAGES,
                           .opcode = IBV_WR_RDMA_READ,
                           .send_flags = IBV_SEND_SIGNALED,
                           .sg_list = &sge,
                           .num_sge = 1},
                     *bad;
  wr.wr.rdma.remote_addr = from->remote_addr;
  wr.wr.rdma.rkey = from->rkey;
  return ibv_post_send(from->qp, &wr, &bad);
}

int run(void) {
  struct setting s;
  struct connection self;
  struct ibv_wc wc[WINDOW];
  uint64_t posted = 0, done = 0;
  int lost = 0;
  struct ibv_mr *mr = begin_ring(&s, ring, sizeof ring);
  connect_to_self(&self, &s.dev, s.in);

  while (done < MESSAGES) {
    while (posted < MESSAGES && posted - done < WINDOW) {
      fill(&ring[posted % SLOTS], posted + 1);
      if (post_write(self.qp, &self, mr, &ring[posted % SLOTS], posted, IBV_SEND_SIGNALED))
        die("WRITE");
      posted++;
    }
    int taken = ibv_poll_cq(self.cq, WINDOW, wc);
    if (taken < 0)
      die("ibv_poll_cq");
    for (int i = 0; i < taken; i++)
      if (wc[i].status != IBV_WC_SUCCESS || wc[i].wr_id != done + i)
        die("completion");
    done += taken;
  }
  if (read_back(&self, &ring[0], mr))
    die("READ");
  while (ibv_poll_cq(self.cq, 1, wc) == 0)
    ;
  lost += wc[0].status != IBV_WC_SUCCESS || wc[0].wr_id != MESSAGES || ring[0].words[0] == 0;
  ibv_dereg_mr(mr);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
