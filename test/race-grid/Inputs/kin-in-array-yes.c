// The connection points to the current one of the requests that it holds.
#include "grid.h"
struct req { char data[64]; };
struct conn { struct link l; struct req reqs[4], *cur; unsigned now; };
void run(struct conn *c) {
  put(&c->l, c->reqs[0].data, 64, 0);
  c->cur->data[0] = 1;
  take(c->l.cq);
}
