// A block has a lock of its own; it is freed when nobody uses it any more.
#include "grid.h"
#include <pthread.h>
struct job {
  pthread_mutex_t lock;
  int state;
};
static char page[64];
static void *work(void *given) {
  struct job *job = given;
  pthread_mutex_lock(&job->lock);
  job->state = 2;
  pthread_mutex_unlock(&job->lock);
  return 0;
}
void run(struct link *l) {
  struct job *job = calloc(1, sizeof *job);
  pthread_t worker;
  pthread_mutex_init(&job->lock, 0);
  if (pthread_create(&worker, 0, work, job))
    abort();
  pthread_mutex_lock(&job->lock);
  job->state = 1;
  page[0] = job->state;
  pthread_mutex_unlock(&job->lock);
  pthread_join(worker, 0);
  free(job);
  put(l, page, 64, 0);
  take(l->cq);
}
