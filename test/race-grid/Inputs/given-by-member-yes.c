// One entry is given the connection, the other a session that leads to it.
#include "grid.h"
#include <stdatomic.h>
struct conn {
  struct link l;
  char page[64];
  atomic_int posted;
};
struct session {
  struct conn *c;
  int id;
};
void run(struct conn *c) {
  put(&c->l, c->page, 64, 0);
  atomic_store(&c->posted, 1);
  take(c->l.cq);
}
void edit(struct session *s) {
  struct conn *c = s->c;
  if (atomic_load(&c->posted))
    c->page[0] = 1;
}
