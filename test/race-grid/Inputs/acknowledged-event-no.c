// To ask for the state of a queue pair is a call of the system, which drains the stores.
#include "put-and-fetch.h"
void serve(struct ibv_qp *qp) {
  inbox[1] = 1;
  struct ibv_qp_attr is;
  struct ibv_qp_init_attr was;
  if (ibv_query_qp(qp, &is, IBV_QP_STATE, &was))
    abort();
  seen = inbox[0];
}
