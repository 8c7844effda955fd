// Whether it does, the answer's completion tells itself.
#include "one-queue.h"
#define SENDS_ALSO submit_to(e.qp, &e, IBV_WR_RDMA_WRITE, other, 64, 0)
#define CLIENT_WAITS take(e.sent), take(e.sent)
#include "mixed-call.h"
