// A thread whose routine is not in sight polls for another, and the page is written before it says so.
#include "grid.h"
#include <pthread.h>
static char page[64];
int done;
void *(*routine)(void *);
void run(struct link *l) {
  pthread_t t;
  if (pthread_create(&t, 0, routine, l))
    abort();
  put(l, page, 64, 0);
  page[0] = 1;
}
