/* The header in C, in the same program. */
#include <infiniband/verbs.h>

#include "rdma/order.h"

int flush_from_c(struct ibv_qp *qp) { return rdma_flush(qp); }
