// A lock by an exchange that is tested for the value of the held one.
#define OWN_WRITER
#include "under-lock.h"

static int word;
static void before(void);
static void enter(void) {
  while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE) == 1)
    ;
}
static void leave(void) { __atomic_store_n(&word, 0, __ATOMIC_RELEASE); }
static void *writer(void *p) {
  before();
  enter();
  change();
  leave();
  return p;
}
