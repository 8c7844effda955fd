// An answer says nothing of a source: the NIC may have to send it again.
#include "messages.h"
#define OPCODE IBV_WR_RDMA_WRITE
#define UNPOLLED
#include "answered.h"
