// What the connection points to may be its own request; its counter is none.
#include "grid.h"
struct req { struct req *next; char data[56]; };
struct conn { struct link l; unsigned sent; struct req reqs[4], *cur; unsigned taken; };
void run(struct conn *c) {
  c->sent = c->taken = 0;
  put(&c->l, c->reqs[2].data, 32, 0);
  c->sent++;
  c->cur->next = 0;
  c->cur->data[0] = 1;
  while (c->taken < c->sent) {
    take(c->l.cq);
    c->taken++;
  }
}
