// A READ before a message that was answered may still deliver.
#include "messages.h"
#define OPCODE IBV_WR_RDMA_READ
#define UNPOLLED
#include "answered.h"
