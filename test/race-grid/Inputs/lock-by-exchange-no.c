// A lock of the program's own, by compare-and-swap from the value of the free one.
#include "under-lock.h"
#include <stdatomic.h>
static atomic_int lock;
static void enter(void) {
  int free_ = 0;
  while (!atomic_compare_exchange_strong(&lock, &free_, 1))
    free_ = 0;
}
static void leave(void) { atomic_store(&lock, 0); }
