// A pointer is kept as user data of an unknown table and comes back.
#include "grid.h"
static char buf[64];
extern void keep_job(int key, void *p);
extern void *find_job(int key);
void run(struct link *l) {
  keep_job(3, buf);
  char *p = find_job(3);
  put(l, p, 64, 0);
  buf[0] = 1;
  take(l->cq);
}
