// A list of messages of a type whose name begins like the verbs library's: the next may be this one.
#include "grid.h"
struct ibv_own_msg {
  struct ibv_own_msg *next;
  char data[56];
};
static char apart[64];
void run(struct link *l, struct ibv_own_msg *m) {
  put(l, m->data, 56, 0);
  apart[0] = m->next != NULL;
  take(l->cq);
}
