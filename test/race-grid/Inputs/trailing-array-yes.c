// An array of eight ends the struct, and more was allocated behind it.
#include "grid.h"
struct msg { uint32_t length, kind; char data[8]; };
static struct msg other;

void run(struct link *l, uint32_t i) {
  struct msg *m = calloc(1, sizeof *m + 256);
  if (!m)
    abort();
  put(l, m->data + 64, 64, 0);
  m->data[i] = other.data[0];
  take(l->cq);
}
