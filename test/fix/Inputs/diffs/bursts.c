/* A burst of records, one page each; the next burst fills the pages again. */
#include "request.h"

#include <string.h>

enum { PAGES = 8, PAGE = 4096 };
static char pages[PAGES][PAGE];

int ship(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_mr *mr, const char *from, int bursts, int each,
         uint64_t remote, uint32_t rkey) {
  (void)cq;
  for (int b = 0; b < bursts; b++)
    for (int i = 0; i < each && i < PAGES; i++) {
      memcpy(pages[i], from, PAGE);
      if (post(qp, IBV_WR_RDMA_WRITE, pages[i], PAGE, mr->lkey, remote + (uint64_t)PAGE * (b * PAGES + i), rkey))
        return -1;
    }
  return 0;
}
