// Set-up code keeps a distance between two buffers.
#include "grid.h"
static char page[64], other[64];
static char *base = other;
static size_t shift;
int main(void) {
  extern void connect_to(struct link *);
  extern void run(struct link *);
  struct link l;
  connect_to(&l);
  shift = (uintptr_t)page - (uintptr_t)base;
  run(&l);
  return 0;
}
void run(struct link *l) {
  put(l, page, 64, 0);
  base[shift] = 1;
  take(l->cq);
}
