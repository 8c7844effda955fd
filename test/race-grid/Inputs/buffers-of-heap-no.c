// Two buffers of the heap are sent and filled by turns.
#include "grid.h"
void run(struct link *l, int n) {
  char *front = malloc(64), *back = malloc(64);
  if (!front || !back)
    abort();
  for (int i = 0; i < n; i++) {
    put(l, front, 64, 0);
    memset(back, i, 64);
    take(l->cq);
    char *t = front;
    front = back;
    back = t;
  }
  free(front);
  free(back);
}
