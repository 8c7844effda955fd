// The source has a second name, by an assembler label, and changes by it before the poll.
#include "grid.h"
char buf[64];
extern char other_name[64] __asm__("buf");
void run(struct link *l) {
  put(l, buf, 64, 0);
  other_name[0] = 1;
  take(l->cq);
}
