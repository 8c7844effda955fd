// Both hold the lock for writing.
#include "under-lock.h"
static pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
static void enter(void) { pthread_rwlock_wrlock(&m); }
static void leave(void) { pthread_rwlock_unlock(&m); }
