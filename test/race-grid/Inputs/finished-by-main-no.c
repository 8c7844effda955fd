// What main calls behind the entry changes the buffer, whose request is done.
// REMARK: behind the call of the entry
#include "grid.h"
static struct job {
  char *text;
} job;
static char buf[64];
static void finish(struct job *j) { j->text[0] = 1; }
void run(struct link *l, struct job *j) {
  put(l, j->text, 64, 0);
  take(l->cq);
}
int main(void) {
  struct link l;
  memset(&l, 0, sizeof l);
  job.text = buf;
  run(&l, &job);
  finish(&job);
  return 0;
}
