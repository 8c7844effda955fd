// Four integers are stored at once into the source before the poll.
#include "grid.h"
typedef int v4 __attribute__((vector_size(16), aligned(4)));
static int buf[16];
void run(struct link *l) {
  v4 x = {1, 2, 3, 4};
  put(l, buf, 64, 0);
  *(v4 *)(buf + 3) = x;
  take(l->cq);
}
