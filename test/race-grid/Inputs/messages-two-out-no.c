// Two requests are out before the first answer; what the last one sends is changed before its completion.
#include "messages.h"
static char slot[3][64], here[3][8], there[3][64], word[8];
char table[64], answer[64], sum;
void run(void) {
  struct end e;
  open_end(&e);
  expect(&e, here[0], 8);
  expect(&e, here[1], 8);
  expect(&e, here[2], 8);
  meet(e.qp, &far);
  tell(&e, slot[0], 64);
  tell(&e, slot[1], 64);
  take(e.received);
  tell(&e, slot[2], 64);
  take(e.received);
  take(e.received);
  take(e.sent);
  take(e.sent);
  take(e.sent);
  slot[2][0] = 1;
}
void serve(void) {
  struct end e;
  open_end(&e);
  expect(&e, there[0], 64);
  expect(&e, there[1], 64);
  expect(&e, there[2], 64);
  meet(e.qp, &far);
  for (int i = 0; i < 3; i++) {
    take(e.received);
    tell(&e, word, 8);
    take(e.sent);
  }
}
