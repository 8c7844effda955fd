// A function of the C library fills the buffer that a pointer it is given leads to.
// REMARK: 'getline' is not in these sources
#include "grid.h"
#include <stdio.h>
static char *line;
void run(struct link *l) {
  size_t size = 64;
  line = (char *)malloc(size);
  put(l, line, 64, 0);
  take(l->cq);
  if (getline(&line, &size, stdin) < 0)
    abort();
}
