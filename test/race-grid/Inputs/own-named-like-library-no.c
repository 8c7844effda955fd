// A function with the name of a library's, and other parameters, changes what is sent when that is done.
#include "grid.h"
#include <stdio.h>
static uint64_t page, other;
void log(const char *text) {
  page++;
  printf("%s", text);
}
void run(struct link *l) {
  put(l, &page, 8, 0);
  take(l->cq);
  log("sent");
}
