// A word into the other node's memory: the smallest client.
#include "rdma/objects/manager.h"

using namespace rdma::objects;

word received;

status run_node(endpoint &here, const remote &there, word *mine) {
  ack sent;
  store(*mine, 1);
  if (status s = here.put(there, mine, sizeof(word), &sent); s != status::ok)
    return s;
  if (status s = sent.wait(); s != status::ok)
    return s;
#ifdef LOOK
  if (load(received) == 0)
    return status::empty;
#endif
  return status::ok;
}
