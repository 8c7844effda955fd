// A variable of each kind: what was stored is pushed, what others stored is read.
#include "rdma/objects/vars.h"

using namespace rdma::objects;

status run_node(shared_var<int> &temperature, sst<unsigned> &progress, owned_var<double> &volts,
                atomic_var &tickets, double &seen) {
  temperature.store(21);
  if (status s = temperature.push(); s != status::ok)
    return s;
  if (status s = progress.store_mine(3); s != status::ok)
    return s;
  if (status s = progress.push_broadcast(); s != status::ok)
    return s;
  ack pulled;
  if (status s = volts.pull(pulled); s != status::ok)
    return s;
  if (status s = pulled.wait(); s != status::ok)
    return s;
  seen = volts.load().value_or(0) + progress[0] + temperature.load();
  word number;
  return tickets.fetch_add(1, number);
}
