// A recursive mutex that the thread has already is only counted: that is no fence.
#define _GNU_SOURCE
#define OWN_SERVER
#include "grid.h"
#include <pthread.h>
volatile uint64_t inbox[8];
uint64_t seen;
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
static uint64_t one = 1, got;
uint64_t result;
void run(struct link *l) {
  put(l, &one, 8, 0);
  fetch(l, &got, 8, 8);
  take(l->cq);
  take(l->cq);
  result = got;
}
