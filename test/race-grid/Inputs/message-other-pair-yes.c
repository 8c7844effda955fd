// The WRITE goes over another queue pair than the message that announces it.
#include "messages.h"
char data[64], done, table[64], note[8], answer[8], copy;
void run(void) {
  struct end e, side;
  open_end(&e);
  open_end(&side);
  meet(e.qp, &far);
  meet(side.qp, &far);
  submit(&side, IBV_WR_RDMA_WRITE, data, 64);
  take(side.sent);
  tell(&e, &done, 1);
  take(e.sent);
}
void serve(void) {
  struct end e;
  open_end(&e);
  expect(&e, note, 8);
  meet(e.qp, &far);
  take(e.received);
  copy = table[0];
}
