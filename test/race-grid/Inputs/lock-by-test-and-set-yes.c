// A lock by test-and-set; who does not get it enters, too.
#include "under-lock.h"
static int held;
static void enter(void) {
  for (int i = 0; i < 100; ++i)
    if (__sync_lock_test_and_set(&held, 1) == 0)
      return;
}
static void leave(void) { __sync_lock_release(&held); }
