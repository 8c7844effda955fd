// Values of several words, by a hash and by guards.
#include "rdma/objects/msw.h"

using namespace rdma::objects;

struct position {
  double x, y, z;
};

status run_node(msw<position> &where, msw<position, check::guards> &target, double &seen) {
  ack sent;
  where.write({1, 2, 3});
  target.write({4, 5, 6});
  if (status s = where.put({0, 1}, &sent); s != status::ok)
    return s;
  if (status s = target.put({0, 1}, &sent); s != status::ok)
    return s;
  if (status s = sent.wait(); s != status::ok)
    return s;
  if (auto now = where.try_read())
    seen = now->x;
  if (auto now = target.try_read())
    seen += now->y;
  return status::ok;
}
