// The section is entered by who has got the lock.
#define OWN_WRITER
#include "under-lock.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void enter(void) { pthread_mutex_lock(&m); }
static void leave(void) { pthread_mutex_unlock(&m); }
static void *writer(void *p) {
  if (pthread_mutex_trylock(&m) == 0) {
    change();
    leave();
  }
  return p;
}
