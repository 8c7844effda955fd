// The buffer is posted again before it is read.
#include "messages.h"
char ping[64], pong[64], pinged[64], ponged[64], answer[8], table[8], sum, other;
void run(void) {
  struct end e;
  open_end(&e);
  expect(&e, ponged, 64);
  meet(e.qp, &far);
  for (int i = 0; i < 100; i++) {
    ping[0] = i;
    tell(&e, ping, 64);
    take(e.sent);
    take(e.received);
    sum += ponged[0];
    expect(&e, ponged, 64);
  }
}
void serve(void) {
  struct end e;
  open_end(&e);
  expect(&e, pinged, 64);
  meet(e.qp, &far);
  for (int i = 0; i < 100; i++) {
    take(e.received);
    expect(&e, pinged, 64);
    other += pinged[0];
    pong[0] = other;
    tell(&e, pong, 64);
    take(e.sent);
  }
}
