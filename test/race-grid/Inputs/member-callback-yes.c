// A function kept in a structure of the program is called behind the post.
#include "grid.h"
static char buf[64];
struct job { void (*done)(struct job *); char *buf; };
static void reuse(struct job *j) { j->buf[0] = 1; }
void run(struct link *l) {
  struct job j = {reuse, buf};
  put(l, j.buf, 64, 0);
  j.done(&j);
  take(l->cq);
}
