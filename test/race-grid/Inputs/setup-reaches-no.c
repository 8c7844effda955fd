// What a listed function finds behind what it is given is other memory.
#include "listed.h"
static char buf[64], other[64];
struct box {
  int number;
  char *where;
};
void run(struct link *l) {
  struct box b = {1, other};
  put(l, buf, 64, 0);
  attach(&b);
  take(l->cq);
}
