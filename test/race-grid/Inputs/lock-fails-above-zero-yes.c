// That a lock could not be taken is told by a result above zero; what it guards is changed then, too.
#define OWN_WRITER
#include "under-lock.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void enter(void) { pthread_mutex_lock(&lock); }
static void leave(void) { pthread_mutex_unlock(&lock); }
static void *writer(void *p) {
  if (pthread_mutex_lock(&lock) > 0) {
    change();
    return p;
  }
  change();
  leave();
  return p;
}
