// A client that takes two completions, its own and a message's, by look().
#pragma once

char data[64], note[8], noted[8], answer[8], table[64], fetched[64], copy;
void run(void) {
  struct end e;
  open_mixed(&e);
  expect(&e, noted, 8);
  meet(e.qp, &far);
  submit(&e, IBV_WR_RDMA_WRITE, data, 64);
  look(&e);
  copy = noted[0];
}
void serve(void) {
  struct end e;
  open_mixed(&e);
  meet(e.qp, &far);
  tell(&e, note, 8);
  submit(&e, IBV_WR_RDMA_READ, fetched, 64);
  take(e.sent);
  take(e.sent);
  copy = table[0];
}
