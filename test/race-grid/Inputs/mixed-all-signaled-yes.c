// With sq_sig_all the WRITE leaves a completion, too.
#define ALL_SIGNALED 1
#define SENDS_ALSO submit_to(e.qp, &e, IBV_WR_RDMA_WRITE, other, 64, 0)
#define CLIENT_WAITS take(e.sent), take(e.sent)
#include "mixed-call.h"
