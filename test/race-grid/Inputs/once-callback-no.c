// pthread_once calls what it is given, and that posts.
#include "grid.h"
#include <pthread.h>
static char buf[64];
static struct link *l;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void first(void) { put(l, buf, 64, 0); }
void run(struct link *given) {
  l = given;
  pthread_once(&once, first);
  take(given->cq);
  buf[0] = 1;
}
