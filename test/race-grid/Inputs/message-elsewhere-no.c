// A READ has pushed what is written to a third node before the message is sent.
#include "messages.h"
char data[64], done, table[64], there[8], copy[64], sum;
void run(void) {
  struct end e, side;
  open_end(&e);
  open_end(&side);
  meet(e.qp, &far);
  meet(side.qp, &far);
  submit(&side, IBV_WR_RDMA_WRITE, data, 64);
  take(side.sent);
  submit(&side, IBV_WR_RDMA_READ, data, 64);
  take(side.sent);
  tell(&e, &done, 1);
  take(e.sent);
}
void serve(void) {
  struct end e, side;
  open_end(&e);
  open_end(&side);
  expect(&e, there, 8);
  meet(e.qp, &far);
  meet(side.qp, &far);
  take(e.received);
  submit(&side, IBV_WR_RDMA_READ, copy, 64);
  take(side.sent);
  sum = copy[0];
}
void keep(void) {}
