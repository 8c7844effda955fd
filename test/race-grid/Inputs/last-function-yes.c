// A function with the attribute destructor writes the buffer.
#include "grid.h"
static char buf[64];
__attribute__((destructor)) static void last(void) { buf[0] = 0; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  exit(0);
}
