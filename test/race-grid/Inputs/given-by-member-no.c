// Twin: both are given the connection.
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
  take(c->l.cq);
  atomic_store(&c->posted, 1);
}
void edit(struct conn *c) {
  if (atomic_load(&c->posted))
    c->page[0] = 1;
}
