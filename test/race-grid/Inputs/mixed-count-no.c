// Of three completions two are those of what is posted.
#define SENDS_ALSO submit(&e, IBV_WR_RDMA_WRITE, other, 64)
#define CLIENT_WAITS take(e.sent), take(e.sent), take(e.sent)
#include "mixed-call.h"
