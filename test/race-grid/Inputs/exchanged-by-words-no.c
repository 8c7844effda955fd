// Two structures with pointers are exchanged word by word.
// REMARK: which part of
// REMARK: memory of unknown origin
#include "grid.h"
struct job {
  char *page;
  uint32_t length, flags;
};
static char page[64], other[64];
static void swap(void *x, void *y, size_t n) {
  uint32_t *a = x, *b = y;
  for (size_t i = 0; i < n / 4; i++) {
    uint32_t t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}
void run(struct link *l) {
  struct job a = {page, 64, 0}, b = {other, 64, 0};
  swap(&a, &b, sizeof a);
  put(l, page, 64, 0);
  a.page[0] = 1;
  take(l->cq);
}
