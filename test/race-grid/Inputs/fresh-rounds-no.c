// A block for each round, filled before a pointer to it is shown.
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
  struct job *last = 0;
  for (int i = 0; i < 20; i++) {
    struct job *job = malloc(sizeof *job);
    job->value = i;
    shown = job;
    last = job;
    heard = done;
  }
  seen = last != 0;
  pthread_join(worker, 0);
  put(l, page, 64, 0);
  take(l->cq);
}
