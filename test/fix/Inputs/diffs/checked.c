/* The project's macro also stands around what is done with the answer. */
#include "request.h"

#include <stdlib.h>

#define MUST(condition)                                                                                                \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      abort();                                                                                                         \
  } while (0)

static uint64_t answer, question;

void ask(struct ibv_qp *qp, struct ibv_mr *mr, uint64_t remote, uint32_t rkey, int is_strict) {
  MUST(post(qp, IBV_WR_RDMA_READ, &answer, sizeof answer, mr->lkey, remote, rkey) == 0);
  MUST(answer == 7);
  MUST(post(qp, IBV_WR_RDMA_WRITE, &question, sizeof question, mr->lkey, remote + 8, rkey) == 0);
  if (is_strict)
    MUST((question = 0) == 0);
}
