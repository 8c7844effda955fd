// Two entries are given one object as two types, of which one begins with the other.
#include "grid.h"
struct header {
  char bytes[64];
};
struct packet {
  struct header head;
  char body[64];
};
void run(struct link *l, struct header *h) {
  put(l, h, 64, 0);
  take(l->cq);
}
void other(struct link *l, struct header *h) { l->lkey = 1; }
