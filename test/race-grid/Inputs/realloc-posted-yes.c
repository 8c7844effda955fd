// realloc may give the memory back that the NIC reads.
#include "grid.h"
void run(struct link *l) {
  char *buf = malloc(64);
  put(l, buf, 64, 0);
  buf = realloc(buf, 4096);
  take(l->cq);
  free(buf);
}
