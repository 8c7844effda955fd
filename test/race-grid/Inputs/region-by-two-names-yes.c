// A buffer is sent as its region has it, and written as the connection has it.
#include "grid.h"
struct connection {
  struct link l;
  struct ibv_mr *mr;
  char *buffer;
};
void run(struct connection *c) {
  put(&c->l, c->mr->addr, 64, 0);
  c->buffer[0] = 1;
  take(c->l.cq);
}
