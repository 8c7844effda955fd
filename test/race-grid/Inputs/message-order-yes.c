// The first completion is not that of the second buffer.
#include "messages.h"
char one[8], two[8], table[8], there[8], other[8], answer[8], copy;
void run(void) {
  struct end e;
  open_end(&e);
  meet(e.qp, &far);
  tell(&e, one, 8);
  tell(&e, two, 8);
  take(e.sent);
  take(e.sent);
}
void serve(void) {
  struct end e;
  open_end(&e);
  expect(&e, there, 8);
  expect(&e, other, 8);
  meet(e.qp, &far);
  take(e.received);
  copy = other[0];
  take(e.received);
}
