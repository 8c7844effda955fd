// Another file defines the struct; its type is known by what leads to it only.
#include "grid.h"
struct shared {
  char page[64];
  int length;
};
extern struct shared area;

void run(struct link *l, struct shared *given) {
  put(l, area.page, 64, 0);
  given->page[0] = 1;
  take(l->cq);
}
