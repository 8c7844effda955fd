// A thread that a function starts which nobody calls here changes its own count only.
#include "grid.h"
#include <pthread.h>
struct job {
  char *text;
};
static void *change(void *given) {
  uint64_t own = (uintptr_t)given;
  own++;
  return own & 1 ? given : 0;
}
void prepare(struct job *j) {
  pthread_t thread;
  pthread_create(&thread, 0, change, j);
}
void run(struct link *l, struct job *j) {
  put(l, j->text, 64, 0);
  take(l->cq);
}
