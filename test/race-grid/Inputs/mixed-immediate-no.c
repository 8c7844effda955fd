// A WRITE with immediate data completes a receive.
#include "one-queue.h"

char ask[64], asked[64], reply[64], note[8], answer[64], table[64], sum;
void run(void) {
  struct end e;
  open_mixed(&e);
  expect(&e, note, 8);
  meet(e.qp, &far);
  tell(&e, ask, 64);
  struct ibv_wc wc;
  int n;
  do {
    n = ibv_poll_cq(e.sent, 1, &wc);
    if (n < 0)
      abort();
  } while (n == 0 || (wc.opcode & IBV_WC_RECV));
  ask[0] = 2;
}
void serve(void) {
  struct end e;
  open_mixed(&e);
  expect(&e, asked, 64);
  meet(e.qp, &far);
  take(e.received);
  submit(&e, IBV_WR_RDMA_WRITE_WITH_IMM, reply, 64);
  take(e.sent);
}
