// A second source of the same program that includes the header: both see one state.
#include <infiniband/verbs.h>

#include "rdma/order.h"

int waitInOtherSource(ibv_qp *Qp) { return rdma_wait(Qp); }
int pollInOtherSource(ibv_cq *Cq, ibv_wc *Wc) { return ibv_poll_cq(Cq, 1, Wc); }
