// The stack of signal handlers is no request's.
#include "grid.h"
#include <signal.h>
static char stack[16384], buf[64];
void run(struct link *l) {
  stack_t given = {.ss_sp = stack, .ss_size = sizeof stack};
  put(l, buf, 64, 0);
  sigaltstack(&given, 0);
  take(l->cq);
}
