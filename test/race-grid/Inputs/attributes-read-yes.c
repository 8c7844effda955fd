// What memory is asked for is still being delivered; verbs.h defines the function.
#include "grid.h"
static struct ibv_alloc_dm_attr asked;
void run(struct link *l) {
  fetch(l, &asked, sizeof asked, 0);
  if (!ibv_alloc_dm(l->qp->context, &asked))
    abort();
  take(l->cq);
}
