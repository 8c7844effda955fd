// A number is written to a file, at a place that has nothing to do with memory.
#include "grid.h"
#include <fcntl.h>
#include <unistd.h>
static uint64_t page[8], one = 1;
void run(struct link *l) {
  int log = open("log", O_RDWR);
  put(l, page, 64, 0);
  if (pwrite(log, &one, 8, (off_t)(sizeof page * 2)) < 0)
    abort();
  take(l->cq);
}
