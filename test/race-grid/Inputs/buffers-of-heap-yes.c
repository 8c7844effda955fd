// Of two buffers of the heap the one that is sent is filled.
#include "grid.h"
void run(struct link *l, int n) {
  char *front = malloc(64), *back = malloc(64);
  if (!front || !back)
    abort();
  for (int i = 0; i < n; i++) {
    put(l, front, 64, 0);
    memset(front, i, 64);
    take(l->cq);
    char *t = front;
    front = back;
    back = t;
  }
  free(front);
  free(back);
}
