// CORRECTED TWIN OF: Where the queue pair could not be destroyed, its requests are under way when the buffer
// is given back.
#include "grid.h"
#include <stdio.h>
void run(struct link *l) {
  char *buf = calloc(1, 64);
  if (!buf)
    abort();
  put(l, buf, 64, 0);
  if (ibv_destroy_qp(l->qp)) {
    fprintf(stderr, "the queue pair is in use\n");
    exit(1);
  }
  free(buf);
  exit(0);
}
