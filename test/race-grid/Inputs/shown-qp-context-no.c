// Set-up code sets the context of a queue pair that others have.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64], spare[64];
void init(struct ibv_qp *qp) { qp->qp_context = spare; }
void run(struct link *l, char *given) {
  put(l, buf, 64, 0);
  given[0] = 1;
  take(l->cq);
}
