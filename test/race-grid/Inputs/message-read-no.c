// A READ before a message that was answered is complete when its completion was polled.
#include "messages.h"
#define OPCODE IBV_WR_RDMA_READ
#include "answered.h"
