// A block is freed by the last of its owners, and both go while the request is out.
#include "grid.h"
struct block {
  int owners;
  char data[64];
};
static void drop(struct block *b) {
  if (--b->owners == 0)
    free(b);
}
void run(struct link *l) {
  struct block *b = malloc(sizeof *b);
  b->owners = 2;
  put(l, b->data, 64, 0);
  drop(b);
  drop(b);
  take(l->cq);
}
