// The other thread breaks the lock: it finds a third value, which is not that of the held one, and enters.
#include "lock-of-three-values.h"
static void before(void) { __atomic_store_n(&word, 2, __ATOMIC_RELEASE); }
