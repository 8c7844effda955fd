// Rounds with a barrier between them.
#include "rdma/objects/barrier.h"

using namespace rdma::objects;

status run_node(endpoint &here, barrier &meet, const remote &there, word *mine, word &seen) {
  if (status s = here.put_word(there, 7); s != status::ok)
    return s;
  if (status s = meet.wait(); s != status::ok)
    return s;
  seen = load(*mine);
  return meet.wait_nofence();
}
