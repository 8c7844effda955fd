// A lock that could not be taken is told of only; what it guards is changed all the same.
#define OWN_WRITER
#include "under-lock.h"
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void enter(void) {
  if (pthread_mutex_lock(&lock))
    abort();
}
static void leave(void) { pthread_mutex_unlock(&lock); }
static void *writer(void *p) {
  if (pthread_mutex_lock(&lock)) {
    fprintf(stderr, "not locked\n");
    change();
    return p;
  }
  change();
  leave();
  return p;
}
