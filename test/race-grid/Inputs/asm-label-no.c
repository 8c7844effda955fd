// The source has a second name, by an assembler label, and changes by it behind the poll.
#include "grid.h"
char buf[64];
extern char other_name[64] __asm__("buf");
void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
  other_name[0] = 1;
}
