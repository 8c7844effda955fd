// Whether completions are waited for is read from a file before the entry runs.
#include "grid.h"
#include <stdio.h>
static int patience = 1;
static int level;
static char page[64];
void run(struct link *l) {
  put(l, page, 64, 0);
  if (patience)
    take(l->cq);
  page[0] = 1;
}
void connect_to(struct link *l, struct ibv_pd **pd);
int main(void) {
  static struct link l;
  struct ibv_pd *pd;
  connect_to(&l, &pd);
  if (scanf("%d", &patience) != 1)
    return 1;
  run(&l);
}
