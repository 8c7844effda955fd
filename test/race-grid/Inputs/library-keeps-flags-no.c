// A library is given a number by set-up code that no request hangs on.
#include "grid.h"
#include <dlfcn.h>
static uint64_t value, other;
static int flags, level;
void run(struct link *l) {
  flags = 0;
  submit(l, IBV_WR_RDMA_WRITE, &other, 8, 0, flags);
  put(l, &value, 8, 0);
  take(l->cq);
  value = 2;
}
typedef void watch(int *);
int main(int argc, char **argv) {
  static struct link here;
  watch *begin = (watch *)dlsym(NULL, argv[argc - 1]);
  begin(&level);
  run(&here);
}
