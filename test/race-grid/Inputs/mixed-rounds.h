// Messages to and fro; each end has one completion queue. AHEAD: the server posts its next buffer before it
// knows that its answer has gone.
#pragma once

#include "one-queue.h"

char ask[64], asked[64], reply[64], answer[64], table[64], sum, other;
void run(void) {
  struct end e;
  open_mixed(&e);
  expect(&e, answer, 64);
  meet(e.qp, &far);
  for (int i = 0; i < 100; i++) {
    ask[0] = i;
    tell(&e, ask, 64);
    CLIENT_WAITS;
    sum += answer[0];
    expect(&e, answer, 64);
  }
}
void serve(void) {
  struct end e;
  open_mixed(&e);
  expect(&e, asked, 64);
  meet(e.qp, &far);
  for (int i = 0; i < 100; i++) {
    take(e.received);
    other += asked[0];
    reply[0] = other;
#ifdef AHEAD
    expect(&e, asked, 64);
    tell(&e, reply, 64);
    take(e.sent);
#else
    tell(&e, reply, 64);
    take(e.sent);
    expect(&e, asked, 64);
#endif
  }
}
