// The handler of a signal, given in a struct, sets the count of what is done.
#include "grid.h"
#include <signal.h>
static uint64_t value;
static int done;
static void settle(int number) { done = 1000 * number; }
void run(struct link *l, int rounds) {
  struct sigaction how;
  memset(&how, 0, sizeof how);
  how.sa_handler = settle;
  sigaction(SIGUSR1, &how, 0);
  struct ibv_wc wc;
  int posted = 0;
  for (int i = 0; i < rounds; i++) {
    while (done < posted)
      done += ibv_poll_cq(l->cq, 1, &wc) == 1;
    value = i;
    put(l, &value, 8, 0);
    posted++;
  }
}
