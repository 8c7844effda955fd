// REMARK: 'keep_job' is not in these sources
// REMARK: 'find_job' is not in these sources
// A pointer is kept as user data of an unknown table and comes back.
// REMARK: find_job
#include "grid.h"
static char buf[64];
extern void keep_job(int key, void *p);
extern void *find_job(int key);
void run(struct link *l) {
  keep_job(3, buf);
  char *p = find_job(3);
  put(l, p, 64, 0);
  take(l->cq);
  buf[0] = 1;
}
