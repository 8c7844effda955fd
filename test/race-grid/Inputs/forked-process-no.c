// A process that main forks writes its own copy of the page.
#include "grid.h"
#include <sys/mman.h>
#include <unistd.h>
static char *page;
void run(struct link *l) {
  put(l, page, 64, 0);
  take(l->cq);
}
int main(void) {
  struct link l;
  memset(&l, 0, sizeof l);
  page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
  if (fork() == 0) {
    page[0] = 1;
    _exit(0);
  }
  run(&l);
  return 0;
}
