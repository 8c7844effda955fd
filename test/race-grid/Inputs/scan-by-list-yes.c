// A helper scans by a va_list what says whether completions are waited for.
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
  int patience = 1;
  scan(text, "%d", &patience);
  put(l, page, 64, 0);
  if (patience)
    take(l->cq);
  page[0] = 1;
}
