// Whether the WRITE asks for a completion is not known.
#include "one-queue.h"
extern unsigned asks;
#define SENDS_ALSO submit_to(e.qp, &e, IBV_WR_RDMA_WRITE, other, 64, asks)
#define CLIENT_WAITS take(e.sent), take(e.sent)
#include "mixed-call.h"
