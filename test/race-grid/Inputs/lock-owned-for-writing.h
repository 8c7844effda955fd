// The server asks for a rwlock to write under twice, and does something in BETWEEN.
#pragma once

#include "put-and-fetch.h"
#include <pthread.h>
static pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
void serve(void) {
  pthread_rwlock_wrlock(&m);
  inbox[1] = 1;
  BETWEEN;
  pthread_rwlock_wrlock(&m);
  seen = inbox[0];
  pthread_rwlock_unlock(&m);
}
