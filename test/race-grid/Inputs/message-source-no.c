// The source of a WRITE is free when its completion is polled.
#include "messages.h"
#define OPCODE IBV_WR_RDMA_WRITE
#include "answered.h"
