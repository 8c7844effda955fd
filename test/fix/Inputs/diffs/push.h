/* Of refill.c and its other source. */
#pragma once

#include <infiniband/verbs.h>

struct outbox {
  struct ibv_qp *qp;
  struct ibv_mr *mr;
  uint64_t remote;
  uint32_t rkey;
  char *text;
};

int push(struct outbox *box);
