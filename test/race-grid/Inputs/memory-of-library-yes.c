// What is posted belongs to the C library, which changes it.
#include "grid.h"
#include <stdio.h>
static char copy[64];
void run(struct link *l, int error) {
  char *text = strerror(error);
  put(l, text, 24, 0);
  if (strerror(error + 1) != text)
    abort();
  take(l->cq);
}
