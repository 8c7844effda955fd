// A signal may come between the post and the wait; its handler writes.
#include "grid.h"
#include <signal.h>
static volatile char buf[64];
static volatile sig_atomic_t came;
static void on_signal(int n) { came = n; }
void run(struct link *l) {
  signal(SIGUSR1, on_signal);
  put(l, buf, 64, 0);
  take(l->cq);
}
