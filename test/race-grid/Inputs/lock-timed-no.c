// The lock is asked for until a time; when that is over, the section is left out.
#define OWN_WRITER
#include "under-lock.h"
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void enter(void) { pthread_mutex_lock(&m); }
static void leave(void) { pthread_mutex_unlock(&m); }
static void *writer(void *p) {
  struct timespec until = {1, 0};
  if (pthread_mutex_timedlock(&m, &until))
    return p;
  change();
  leave();
  return p;
}
