// Where there is one thread only, the C library takes a mutex by plain stores: that is no fence.
#include "put-and-fetch.h"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void serve(void) {
  inbox[1] = 1;
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  __sync_synchronize();
  seen = inbox[0];
}
