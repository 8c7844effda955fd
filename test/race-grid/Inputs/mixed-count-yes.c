// Of two completions one may be the WRITE's and the other the SEND's.
#define SENDS_ALSO submit(&e, IBV_WR_RDMA_WRITE, other, 64)
#define CLIENT_WAITS take(e.sent), take(e.sent)
#include "mixed-call.h"
