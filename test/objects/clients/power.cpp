// A controller on one node, a converter on the other.
#include "rdma/objects/power.h"

using namespace rdma::objects;
using namespace std::chrono_literals;

double towards(unsigned, double volts) { return volts < 12 ? 0.5 : 0; }
double follow(unsigned, double duty) { return 48 * duty; }

status run_node(manager &here, power_controller &supply) {
  if (here.me() == 0)
    return supply.run_controller(20us, 1ms, towards);
  return supply.run_converter(0, 1ms, follow);
}
