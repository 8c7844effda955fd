// A client writes and tells the server in each round, which writes back and answers. WRITES_LATE,
// ANSWERS_AHEAD and ANSWERS_TWICE each make an answer say too little.
#pragma once

#include "messages.h"

char data[64], done, table[64], answer[64], back[64], here[8], there[8], sum, other;
void run(void) {
  struct end e;
  open_end(&e);
  expect(&e, here, 8);
  meet(e.qp, &far);
  for (int i = 0; i < 100; i++) {
    data[0] = i;
#ifdef WRITES_LATE
    tell(&e, &done, 1);
    submit(&e, IBV_WR_RDMA_WRITE, data, 64);
#else
    submit(&e, IBV_WR_RDMA_WRITE, data, 64);
    tell(&e, &done, 1);
#endif
    take(e.sent);
    take(e.sent);
    take(e.received);
    sum += answer[0];
    expect(&e, here, 8);
  }
}
void serve(void) {
  struct end e;
  open_end(&e);
  expect(&e, there, 8);
  meet(e.qp, &far);
#ifdef ANSWERS_AHEAD
  tell(&e, &done, 1);
  take(e.sent);
#endif
  for (int i = 0; i < 100; i++) {
    take(e.received);
    other += table[0];
    expect(&e, there, 8);
    back[0] = other;
    submit(&e, IBV_WR_RDMA_WRITE, back, 64);
    tell(&e, &done, 1);
    take(e.sent);
    take(e.sent);
#ifdef ANSWERS_TWICE
    tell(&e, &done, 1);
    take(e.sent);
#endif
  }
}
