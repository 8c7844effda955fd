// Memory is mapped where a variable is.
#include "grid.h"
#include <sys/mman.h>
static char buf[8192] __attribute__((aligned(4096)));
void run(struct link *l) {
  char *p = (char *)mmap(buf, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  put(l, p, 64, 0);
  buf[0] = 1;
  take(l->cq);
}
