// The pages are given back while the NIC still reads them.
#define _GNU_SOURCE
#include "grid.h"
#include <sys/mman.h>
struct blk {
  char m[64];
};
void run(struct link *l) {
  struct blk *regp = mmap(0, 4096, 3, MAP_PRIVATE + MAP_ANONYMOUS, -1, 0);
  put(l, regp, sizeof *regp, 0);
  madvise(regp, 4096, MADV_DONTNEED);
  take(l->cq);
}
