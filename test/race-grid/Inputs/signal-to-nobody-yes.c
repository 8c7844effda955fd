// A condition variable that nobody waits at is only looked at: that is no fence.
#include "put-and-fetch.h"
#include <pthread.h>
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void serve(void) {
  inbox[1] = 1;
  pthread_cond_signal(&c);
  seen = inbox[0];
}
