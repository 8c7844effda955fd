// Another page than the one that is sent is written.
#include "grid.h"
#include <unistd.h>
void run(struct link *l) {
  const long page = sysconf(_SC_PAGESIZE);
  char *pool = page > 0 ? calloc(2, page) : NULL;
  if (!pool)
    abort();
  put(l, pool + page, 64, 0);
  pool[0] = 1;
  take(l->cq);
}
