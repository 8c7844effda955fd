// error() calls the function that a variable of the C library holds.
#include "grid.h"
#include <error.h>
static char buf[64];
static void touch(void) {}
void run(struct link *l) {
  error_print_progname = touch;
  put(l, buf, 64, 0);
  error(0, 0, "something");
  take(l->cq);
}
