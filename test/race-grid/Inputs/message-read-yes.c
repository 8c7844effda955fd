// A READ before a message that was answered may still deliver.
#include "messages.h"
char data[64], done, table[64], here[8], there[8], answer[8], copy;
void run(void) {
  struct end e;
  open_end(&e);
  expect(&e, here, 8);
  meet(e.qp, &far);
  submit(&e, IBV_WR_RDMA_READ, data, 64);
  tell(&e, &done, 1);
  take(e.received);
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
