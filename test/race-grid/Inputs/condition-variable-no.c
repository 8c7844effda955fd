// Who waits for the condition changes the buffer; signalled is not completed.
#include "grid.h"
#include <pthread.h>
static char buf[64];
static int posted;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *reuse(void *p) {
  pthread_mutex_lock(&m);
  while (!posted)
    pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  buf[0] = 1;
  return p;
}
static void tell(void) {
  pthread_mutex_lock(&m);
  posted = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
}
void run(struct link *l) {
  pthread_t t;
  pthread_create(&t, 0, reuse, 0);
  put(l, buf, 64, 0);
  take(l->cq);
  tell();
  pthread_join(t, 0);
}
