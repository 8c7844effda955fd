// A parameter is given the other one's value, and leads to the same queue pair for data and flag.
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
  a = b;
  put(a, &data, 8, 0);
  put(a, &flag, 8, 8);
}
