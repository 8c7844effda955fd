// strdup calls the malloc of the program.
#include "grid.h"
static char buf[64], heap[4096];
static size_t at;
void *malloc(size_t n) {
  at += (n + 15) & ~(size_t)15;
  return heap + at;
}
void run(struct link *l) {
  put(l, buf, 64, 0);
  char *volatile p = strdup("abc");
  (void)p;
  take(l->cq);
}
