// A thread whose routine is not in sight polls for another, and says so.
// REMARK: which function this thread runs is not known here
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
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
    ;
  page[0] = 1;
}
