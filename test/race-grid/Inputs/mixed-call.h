// A client asks, a server answers, once; each has one completion queue. What the client does until its answer
// is there, CLIENT_WAITS, and what the server does with the request's completion and its own, are to be given.
#pragma once

#include "one-queue.h"

#ifndef SERVER_GETS
#define SERVER_GETS take(e.received)
#endif
#ifndef SENDS_ALSO
#define SENDS_ALSO
#endif

char ask[64], asked[64], reply[64], answer[64], other[64], table[64], sum;
void run(void) {
  struct end e;
  open_mixed(&e);
  expect(&e, answer, 64);
  meet(e.qp, &far);
  ask[0] = 1;
  SENDS_ALSO;
  tell(&e, ask, 64);
  CLIENT_WAITS;
  sum = answer[0];
}
void serve(void) {
  struct end e;
  open_mixed(&e);
  expect(&e, asked, 64);
  meet(e.qp, &far);
  SERVER_GETS;
  reply[0] = asked[0];
  tell(&e, reply, 64);
  take(e.sent);
}
