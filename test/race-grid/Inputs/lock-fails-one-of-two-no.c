// A lock that could not be taken, for one reason or another, is not taken for held.
#define OWN_WRITER
#include "under-lock.h"
#include <errno.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void enter(void) { pthread_mutex_lock(&lock); }
static void leave(void) { pthread_mutex_unlock(&lock); }
static void *writer(void *p) {
  int rc = pthread_mutex_lock(&lock);
  if (rc != 0)
    return p;
  change();
  leave();
  return p;
}
