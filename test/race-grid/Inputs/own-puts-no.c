// A compiler makes puts of printf, and the program has its own, which changes nothing that is sent.
#include "grid.h"
#include <stdio.h>
static uint64_t page, other;
int puts(const char *text) {
  other++;
  return text != 0;
}
void run(struct link *l) {
  put(l, &page, 8, 0);
  printf("sent\n");
  take(l->cq);
}
