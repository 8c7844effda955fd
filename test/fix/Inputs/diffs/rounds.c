/* Each round fills the buffer that the round before may still be sending. */
#include "request.h"

#include <string.h>

static char page[4096];

int send_pages(struct ibv_qp *qp, struct ibv_mr *mr, const char *from, int pages, uint64_t remote, uint32_t rkey) {
  for (int i = 0; i < pages; i++) {
    memcpy(page, from + 4096l * i, sizeof page);
    if (post(qp, IBV_WR_RDMA_WRITE, page, sizeof page, mr->lkey, remote + 4096l * i, rkey))
      return -1;
  }
  return 0;
}
