// A signal handler is taken from a table.
#include "grid.h"
#include <signal.h>
static char buf[64];
static volatile sig_atomic_t seen;
static void count(int number) { seen = number; }
static void clear(int number) { seen = 0; }
static void (*const handlers[2])(int) = {count, clear};
void run(struct link *l, int n) {
  signal(SIGUSR1, handlers[n & 1]);
  put(l, buf, 64, 0);
  take(l->cq);
}
