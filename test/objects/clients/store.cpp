// A key is looked up, and its value changed.
#include "rdma/objects/kvstore.h"

using namespace rdma::objects;

bool run_node(kvstore<std::uint64_t, double> &prices, double &seen) {
  seen = prices.lookup(1).value_or(0);
  return prices.update(1, seen + 1);
}
