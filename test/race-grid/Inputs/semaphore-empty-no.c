// A semaphore that cannot be taken is only looked at: that is no fence.
#include "put-and-fetch.h"
#include <semaphore.h>
static sem_t s;
void serve(void) {
  inbox[1] = 1;
  sem_trywait(&s);
  __sync_synchronize();
  seen = inbox[0];
}
