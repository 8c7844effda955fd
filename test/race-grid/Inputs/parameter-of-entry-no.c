// The parameter of the entry itself.
#include "grid.h"
void run(struct link *l, uint64_t v) {
  put(l, &v, 8, 0);
  take(l->cq);
}
