// A request OPCODE and a message behind it, which is answered; then its buffer changes. UNPOLLED: without its
// completion.
#pragma once

#include "messages.h"

char data[64], done, table[64], here[8], there[8], answer[8], copy;
void run(void) {
  struct end e;
  open_end(&e);
  expect(&e, here, 8);
  meet(e.qp, &far);
  submit(&e, OPCODE, data, 64);
  tell(&e, &done, 1);
  take(e.received);
#ifndef UNPOLLED
  take(e.sent);
#endif
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
