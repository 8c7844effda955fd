// A read that main has asked for, and not waited for, sets a number that nothing hangs on.
#include "grid.h"
#include <aio.h>
static uint64_t value;
static int done, other;
void run(struct link *l, int rounds) {
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
int main(int argc, char **argv) {
  static struct link here;
  static struct aiocb ask;
  ask.aio_buf = &other;
  ask.aio_nbytes = sizeof other;
  aio_read(&ask);
  run(&here, argc);
}
