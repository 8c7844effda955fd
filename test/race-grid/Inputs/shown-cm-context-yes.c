// Others find the context of an identifier in its events.
// SET-UP: elsewhere
#include "grid.h"
#include <rdma/rdma_cma.h>
static char buf[64], spare[64];
int init(struct rdma_event_channel *events) {
  struct rdma_cm_id *id;
  return rdma_create_id(events, &id, buf, RDMA_PS_TCP);
}
void run(struct link *l, char *given) {
  put(l, buf, 64, 0);
  given[0] = 1;
  take(l->cq);
}
