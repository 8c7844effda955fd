// Twin: another block.
#include "grid.h"
void run(struct link *l, char *page) {
  put(l, page, 64, 0);
}
void connect_to(struct link *l, struct ibv_pd **pd);
int main(void) {
  static struct link l;
  struct ibv_pd *pd;
  connect_to(&l, &pd);
  char *page = calloc(1, 64), *other = calloc(1, 64);
  if (!page || !other)
    return 1;
  run(&l, page);
  other[0] = 1;
}
