// Who finds the lock broken, which is neither free nor held, writes over what says so: the next one to ask takes it for held, but the one
// that broke it enters without asking.
#define OWN_WRITER
#include "under-lock.h"
static int word;
static void enter(void) {
  while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE) == 1)
    ;
}
static void leave(void) { __atomic_store_n(&word, 0, __ATOMIC_RELEASE); }
static void *writer(void *p) {
  __atomic_store_n(&word, 2, __ATOMIC_RELEASE);
  change();
  enter();
  leave();
  return p;
}
