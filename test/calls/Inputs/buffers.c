// The CPU's stores before the call may come behind its loads after it.
#define BUFFERS
#include "fence.c"
