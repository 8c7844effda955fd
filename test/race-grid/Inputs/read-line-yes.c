// A function of the C library fills the buffer that a pointer it is given leads to.
#include "grid.h"
#include <stdio.h>
static char *line;
void run(struct link *l) {
  size_t size = 64;
  line = (char *)malloc(size);
  put(l, line, 64, 0);
  if (getline(&line, &size, stdin) < 0)
    abort();
  take(l->cq);
}
