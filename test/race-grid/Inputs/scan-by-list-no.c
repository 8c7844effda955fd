// Twin: another number is scanned.
// REMARK: is not in these sources; it is taken to read and write
#include "grid.h"
#include <stdarg.h>
#include <stdio.h>
static char page[64];
static void scan(const char *text, const char *format, ...) {
  va_list all;
  va_start(all, format);
  vsscanf(text, format, all);
  va_end(all);
}
void run(struct link *l, const char *text) {
  int patience = 1, other = 0;
  scan(text, "%d", &other);
  put(l, page, 64, 0);
  if (patience)
    take(l->cq);
  page[0] = 1;
}
