// The page is written through the file that is the memory of the process.
#include "grid.h"
#include <fcntl.h>
#include <unistd.h>
static uint64_t page[8], one = 1;
void run(struct link *l) {
  int memory = open("/proc/self/mem", O_RDWR);
  put(l, page, 64, 0);
  if (pwrite(memory, &one, 8, (off_t)(uintptr_t)page) < 0)
    abort();
  take(l->cq);
}
