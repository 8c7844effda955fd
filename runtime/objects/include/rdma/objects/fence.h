// LOCO's global fence, as a call: global_fence(manager, nodes). See endpoint::fence for what it orders.
#pragma once

#include "rdma/objects/manager.h"
