// Nobody breaks the lock.
#include "lock-of-three-values.h"
static void before(void) {}
