// It has been given back in between, and so is got again: that is a fence.
#define BETWEEN pthread_rwlock_unlock(&m)
#include "lock-owned-for-writing.h"
