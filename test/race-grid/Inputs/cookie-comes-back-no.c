// A pointer travels in a message and comes back: what it leads to has been sent.
#include "messages.h"
struct message {
  char *cookie;
};
char data[64], table[64];
struct message asked, here, there, told;
void run(void) {
  struct end e;
  open_end(&e);
  expect(&e, &here, 8);
  meet(e.qp, &far);
  asked.cookie = data;
  tell(&e, &asked, 8);
  take(e.received);
  submit(&e, IBV_WR_RDMA_WRITE, data, 64);
  take(e.sent);
  take(e.sent);
  here.cookie[0] = 1;
}
void serve(void) {
  struct end e;
  open_end(&e);
  expect(&e, &there, 8);
  meet(e.qp, &far);
  take(e.received);
  told.cookie = there.cookie;
  tell(&e, &told, 8);
  take(e.sent);
}
