// The page that is sent is written before its completion.
#include "grid.h"
#include <unistd.h>
void run(struct link *l) {
  const long page = sysconf(_SC_PAGESIZE);
  char *pool = page > 0 ? calloc(2, page) : NULL;
  if (!pool)
    abort();
  put(l, pool + page, 64, 0);
  pool[page] = 1;
  take(l->cq);
}
