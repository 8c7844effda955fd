// A recursive mutex that the thread has already is only counted: that is no fence.
#define _GNU_SOURCE
#include "put-and-fetch.h"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void *idle(void *p) { return p; }
void serve(void) {
  pthread_t other;
  pthread_create(&other, 0, idle, 0);
  pthread_mutex_lock(&m);
  inbox[1] = 1;
  pthread_mutex_lock(&m);
  __sync_synchronize();
  seen = inbox[0];
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
  pthread_join(other, 0);
}
