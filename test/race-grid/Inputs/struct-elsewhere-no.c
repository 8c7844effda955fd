// Another file defines the struct; its type is known by what leads to it only.
#include "grid.h"
struct shared {
  char page[64];
  int length;
};
extern struct shared area;
extern char *name;
static struct shared own;

void run(struct link *l, struct shared *given) {
  put(l, own.page, 64, 0);
  given->page[0] = name != 0;
  take(l->cq);
}
