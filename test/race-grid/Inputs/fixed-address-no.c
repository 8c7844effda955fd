// The memory is at an address that everybody knows.
#include "grid.h"
#define REGISTER (*(volatile uint64_t *)0x10000000)
void run(struct link *l) {
  put(l, &REGISTER, 8, 0);
  take(l->cq);
  REGISTER = 1;
}
