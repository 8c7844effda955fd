// Two messages; behind the first completion LOOKED_AT is read. SECOND: the buffer of the second receive.
#pragma once

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
  expect(&e, SECOND, 8);
  meet(e.qp, &far);
  take(e.received);
  copy = LOOKED_AT[0];
  take(e.received);
}
