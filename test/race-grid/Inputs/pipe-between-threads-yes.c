// One byte through a pipe lets the helper go on.
#include "grid.h"
#include <pthread.h>
#include <unistd.h>
static char buf[64];
static int ends[2];
static void *reuse(void *p) {
  char token;
  if (read(ends[0], &token, 1) == 1)
    buf[0] = 1;
  return p;
}
void run(struct link *l) {
  pthread_t t;
  if (pipe(ends))
    abort();
  pthread_create(&t, 0, reuse, 0);
  put(l, buf, 64, 0);
  (void)write(ends[1], "x", 1);
  take(l->cq);
  pthread_join(t, 0);
}
