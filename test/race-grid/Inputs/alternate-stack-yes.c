// A signal handler runs on a stack that the NIC still reads.
#include "grid.h"
#include <signal.h>
static char stack[16384];
void run(struct link *l) {
  stack_t given = {.ss_sp = stack, .ss_size = sizeof stack};
  put(l, stack, 64, 0);
  sigaltstack(&given, 0);
  take(l->cq);
}
