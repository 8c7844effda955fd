// A compiler makes puts of printf, and the program has its own, which changes what is sent.
#include "grid.h"
#include <stdio.h>
static uint64_t page, other;
int puts(const char *text) {
  page++;
  return text != 0;
}
void run(struct link *l) {
  put(l, &page, 8, 0);
  printf("sent\n");
  take(l->cq);
}
