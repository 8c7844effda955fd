// Twin: the connection says that nothing else leads to the buffer.
#include "grid.h"
struct connection {
  struct link l;
  struct ibv_mr *mr;
  char *restrict buffer;
};
void run(struct connection *c) {
  put(&c->l, c->mr->addr, 64, 0);
  c->buffer[0] = 1;
  take(c->l.cq);
}
