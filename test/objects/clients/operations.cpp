// A word into the other node's memory, and back: each awaited before it is looked at, or written again.
#include "rdma/objects/manager.h"

using namespace rdma::objects;

status run_node(endpoint &here, const remote &there, word *mine, word &seen) {
  ack sent, fetched;
  store(*mine, 1);
  if (status s = here.put(there, mine, sizeof(word), &sent); s != status::ok)
    return s;
#ifndef NO_WAIT
  if (status s = sent.wait(); s != status::ok)
    return s;
#endif
  store(*mine, 2);
  if (status s = here.get(mine, there, sizeof(word), fetched); s != status::ok)
    return s;
#ifndef NO_WAIT
  if (status s = fetched.wait(); s != status::ok)
    return s;
#endif
  seen = load(*mine);
  return here.fence(node_set::first(2));
}
