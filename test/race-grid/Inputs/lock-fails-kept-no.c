// Whether a lock could be taken is kept, and looked at before anything is changed.
#define OWN_WRITER
#include "under-lock.h"
#include <stdbool.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void enter(void) { pthread_mutex_lock(&lock); }
static void leave(void) { pthread_mutex_unlock(&lock); }
static bool have(void) { return !pthread_mutex_lock(&lock); }
static void *writer(void *p) {
  bool mine = have();
  if (mine) {
    change();
    leave();
  }
  return p;
}
