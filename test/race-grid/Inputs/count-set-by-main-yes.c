// The count of what is done does not begin where it is initialised: main has set it.
#include "grid.h"
static uint64_t value;
static int done;
void run(struct link *l) {
  struct ibv_wc wc;
  int posted = 0;
  for (int i = 0; i < 8; i++) {
    while (done < posted)
      done += ibv_poll_cq(l->cq, 1, &wc) == 1;
    value = i;
    put(l, &value, 8, 0);
    posted++;
  }
}
int main(void) {
  static struct link here;
  done = 1;
  run(&here);
}
