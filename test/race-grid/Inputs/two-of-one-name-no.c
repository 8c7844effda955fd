// Two connections that one helper opens are called alike: each has its own data and flag.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[3];
uint64_t seen;
void serve(void) {
  if (inbox[1] == 1)
    seen = inbox[0];
}
static uint64_t data = 7, flag = 1;
void fill_in(struct link *l);
static void send_one(const void *from, unsigned at) {
  struct link *l = malloc(sizeof *l);
  fill_in(l);
  put(l, from, 8, at);
}
void run(void) {
  send_one(&data, 0);
  send_one(&flag, 16);
}
