// Fresh pages are mapped over memory that the NIC still reads.
#define _GNU_SOURCE
#include "grid.h"
#include <sys/mman.h>
static struct {
  char m[4096];
} reg __attribute__((aligned(4096)));
void run(struct link *l) {
  put(l, &reg, 64, 0);
  mmap(&reg, 4096, 3, MAP_PRIVATE + MAP_ANONYMOUS + MAP_FIXED, -1, 0);
  take(l->cq);
}
