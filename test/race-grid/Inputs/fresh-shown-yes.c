// A pointer to a block is shown, and the block filled behind that; then each thread looks at what the other
// has stored.
#include "grid.h"
#include <pthread.h>
struct job {
  int value;
};
static struct job *volatile shown;
static int done, seen, heard;
static char page[64];
static void *work(void *given) {
  struct job *job;
  while (!(job = shown))
    ;
  done = 1;
  seen = job->value;
  return given;
}
void run(struct link *l) {
  pthread_t worker;
  if (pthread_create(&worker, 0, work, l))
    abort();
  struct job *job = malloc(sizeof *job);
  shown = job;
  job->value = 1;
  heard = done;
  pthread_join(worker, 0);
  put(l, page, 64, 0);
  take(l->cq);
}
