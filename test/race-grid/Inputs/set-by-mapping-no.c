// Whether completions are waited for hangs on a variable that nobody sets: the file is mapped elsewhere.
#include "grid.h"
#include <sys/mman.h>
static int lazy;
static char page[64];
void run(struct link *l) {
  for (int i = 0; i < 100; i++) {
    page[0] = i;
    put(l, page, 64, 0);
    if (!lazy)
      take(l->cq);
  }
}
int main(void) {
  static struct link here;
  mmap(&lazy, 4096, PROT_READ, MAP_PRIVATE, 3, 0);
  run(&here);
}
