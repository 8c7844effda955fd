// A function takes the buffer out of its variable arguments, behind a number and a float.
#include "grid.h"
#include <stdarg.h>
static char buf[64], other[64];
static void fill_all(int count, ...) {
  va_list list;
  va_start(list, count);
  (void)va_arg(list, double);
  char *first = va_arg(list, char *);
  va_end(list);
  first[0] = 1;
}
void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
  fill_all(2, 0.5, buf, other);
}
