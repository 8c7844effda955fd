// A thread that a function starts which nobody calls here changes what it is given, perhaps the entry's job.
#include "grid.h"
#include <pthread.h>
struct job {
  char *text;
};
static void *change(void *given) {
  struct job *j = given;
  j->text[0] = 1;
  return 0;
}
void prepare(struct job *j) {
  pthread_t thread;
  pthread_create(&thread, 0, change, j);
}
void run(struct link *l, struct job *j) {
  put(l, j->text, 64, 0);
  take(l->cq);
}
