// A source of the same program that was compiled without the header.
#include <infiniband/verbs.h>

int pollInForeignSource(ibv_cq *Cq, int Count, ibv_wc *Wc) { return ibv_poll_cq(Cq, Count, Wc); }
int endInForeignSource(ibv_qp *Qp) { return ibv_destroy_qp(Qp); }
