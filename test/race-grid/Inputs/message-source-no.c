// The source of a WRITE is free when its completion is polled.
#include "messages.h"
char data[64], done, table[64], here[8], there[8], answer[8], copy;
void run(void) {
  struct end e;
  open_end(&e);
  expect(&e, here, 8);
  meet(e.qp, &far);
  submit(&e, IBV_WR_RDMA_WRITE, data, 64);
  tell(&e, &done, 1);
  take(e.received);
  take(e.sent);
  data[0] = 2;
}
void serve(void) {
  struct end e;
  open_end(&e);
  expect(&e, there, 8);
  meet(e.qp, &far);
  take(e.received);
  copy = table[0];
  tell(&e, &done, 1);
  take(e.sent);
}
