// What is posted belongs to the C library, which changes it.
#include "grid.h"
#include <stdio.h>
static char copy[64];
void run(struct link *l, int error) {
  char *text = strerror(error);
  strncpy(copy, text, 24);
  put(l, copy, 24, 0);
  take(l->cq);
}
