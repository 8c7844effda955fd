// The structure that leads to the buffer has no name.
#include "grid.h"
struct job {
  char *buf;
  unsigned length;
};
static char buf[64];
static void send_it(struct link *l, const struct job *j) { put(l, j->buf, j->length, 0); }
void run(struct link *l) {
  send_it(l, &(struct job){.buf = buf, .length = 64});
  take(l->cq);
  buf[63] = 1;
}
