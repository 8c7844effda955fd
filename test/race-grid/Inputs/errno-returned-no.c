// What is returned for a failure is the error or the status, and never the zero that lets go on.
#include "grid.h"
#include <errno.h>
#include <stdio.h>
static char page[64];
static int wait_one(struct link *l) {
  struct ibv_wc wc;
  int n;
  if (ibv_req_notify_cq(l->cq, 0))
    return -errno;
  do {
    n = ibv_poll_cq(l->cq, 1, &wc);
    if (n < 0)
      return n;
  } while (n == 0);
  if (wc.status != IBV_WC_SUCCESS) {
    fprintf(stderr, "%s\n", ibv_wc_status_str(wc.status));
    return -wc.status;
  }
  return 0;
}
void run(struct link *l) {
  put(l, page, 64, 0);
  int ret = wait_one(l);
  if (ret)
    return;
  page[0] = 1;
}
