// A condition variable that nobody waits at is only looked at: that is no fence.
#define OWN_SERVER
#include "grid.h"
#include <pthread.h>
volatile uint64_t inbox[8];
uint64_t seen;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void serve(void) {
  inbox[1] = 1;
  pthread_cond_signal(&c);
  __sync_synchronize();
  seen = inbox[0];
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
