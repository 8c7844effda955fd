// No message can come before its own requests are over.
#include "one-queue.h"

char data[64], note[8], noted[8], answer[8], table[64], fetched[64], late, copy;
void run(void) {
  struct end e;
  open_mixed(&e);
  meet(e.qp, &far);
  submit(&e, IBV_WR_RDMA_WRITE, data, 64);
  submit(&e, IBV_WR_RDMA_READ, fetched, 8);
  take_kinds(&e, 2, 0);
  expect(&e, noted, 8);
  take_kinds(&e, 0, 1);
  late = 1;
  copy = noted[0];
}
void serve(void) {
  struct end e;
  open_mixed(&e);
  meet(e.qp, &far);
  tell(&e, note, 8);
  submit(&e, IBV_WR_RDMA_READ, fetched, 64);
  take(e.sent);
  take(e.sent);
  copy = table[0];
}
