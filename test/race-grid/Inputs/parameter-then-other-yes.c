// A parameter is given the other one's value: data and flag go by two queue pairs.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[2];
uint64_t seen;
void serve(void) {
  if (inbox[1] == 1)
    seen = inbox[0];
}
static uint64_t data = 7, flag = 1;
void run(struct link *a, struct link *b) {
  put(a, &data, 8, 0);
  a = b;
  put(a, &flag, 8, 8);
}
