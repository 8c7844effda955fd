// A structure with the pointer is copied by a length that is not known.
#include "grid.h"
struct job {
  char *buf;
  long more[4];
};
static char buf[64];
void run(struct link *l, size_t length) {
  struct job a = {buf}, b;
  memcpy(&b, &a, length);
  put(l, b.buf, 64, 0);
  take(l->cq);
  buf[0] = 1;
}
