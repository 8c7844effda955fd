// Nothing has come where the status is still what it was set to.
#include "one-queue.h"
static char late;
static void look(struct end *e) {
  struct ibv_wc wc;
  wc.status = IBV_WC_GENERAL_ERR;
  if (ibv_poll_cq(e->sent, 1, &wc) < 0)
    abort();
  if (wc.status != IBV_WC_SUCCESS) {
    late = 1;
    take_kinds(e, 1, 1);
  } else {
    take(e->sent);
  }
}
#include "mixed-sentinel.h"
