// A lock by test-and-set.
#include "under-lock.h"
static int held;
static void enter(void) {
  while (__sync_lock_test_and_set(&held, 1) != 0)
    while (__atomic_load_n(&held, __ATOMIC_RELAXED))
      ;
}
static void leave(void) { __sync_lock_release(&held); }
