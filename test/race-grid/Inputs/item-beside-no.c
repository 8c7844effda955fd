// CORRECTED TWIN OF: A request of one member of an item ends in the next, which is written.
#include "grid.h"
struct item {
  uint64_t value, more[3];
};
void run(struct link *l, struct item *data, int i, int k) {
  put(l, &data[i], 8, 0);
  data[k].more[0] = 1;
  take(l->cq);
}
