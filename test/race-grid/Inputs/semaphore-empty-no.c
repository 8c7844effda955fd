// A semaphore that cannot be taken is only looked at: that is no fence.
#define OWN_SERVER
#include "grid.h"
#include <semaphore.h>
volatile uint64_t inbox[8];
uint64_t seen;
static sem_t s;
void serve(void) {
  inbox[1] = 1;
  sem_trywait(&s);
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
