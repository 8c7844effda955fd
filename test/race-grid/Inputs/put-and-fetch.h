// A client writes one word of the server's and then reads another: the server, which stores the second and then looks at the first,
// needs a fence between the two.
#pragma once

#define OWN_SERVER
#include "grid.h"

volatile uint64_t inbox[8];
uint64_t seen;
static uint64_t one = 1, got;
uint64_t result;
void run(struct link *l) {
  put(l, &one, 8, 0);
  fetch(l, &got, 8, 8);
  take(l->cq);
  take(l->cq);
  result = got;
}
