// A thread of main, which the topology does not name, finds the buffer through a global pointer.
#include "grid.h"
#include <pthread.h>
static struct job {
  char *text;
} job, *current;
static char buf[64];
static void *watch(void *given) {
  current->text[0] = 1;
  return given;
}
void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
}
int main(void) {
  pthread_t thread;
  struct link l;
  memset(&l, 0, sizeof l);
  current = &job;
  job.text = buf;
  pthread_create(&thread, 0, watch, 0);
  run(&l);
  return 0;
}
