// Twenty DC/DC converters on two nodes, controlled from a third over RDMA: each converter reads its duty from
// its own memory and writes its voltage into the controller's. How long may the controller's period be before
// it cannot hold them any more?
#include "common/launch.h"
#include "converter/Plant.h"
#include "rdma/objects/power.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

using namespace rdma::objects;
using namespace std::chrono_literals;

constexpr unsigned nodes = 3, controller = 0;
constexpr int periods[] = {1, 2, 3, 4, 5, 6, 8, 10}; // of the controller, in steps of the plant

/// Time is scaled, so that a busy machine misses no deadline: a step of the plant is two rounds of a barrier.
constexpr power_options pace = {.step = 10us, .together = true};

static std::vector<node_id> places() {
  std::vector<node_id> places;
  for (unsigned i = 0; i < converter::converters; i++)
    places.push_back(1 + i % (nodes - 1));
  return places;
}

struct measured {
  double ripple, peak;
};

static void require(status s) {
  if (s != status::ok)
    throw error(to_string(s));
}

/// The sum of the voltages: how high it came, and how much it still moves in the last quarter.
static measured measure(const std::vector<power_controller::sample> &trace) {
  double least = 1e9, most = -1e9, peak = 0;
  for (std::size_t i = 0; i < trace.size(); i++) {
    peak = std::max(peak, trace[i].Volts);
    if (i < trace.size() - trace.size() / 4)
      continue;
    least = std::min(least, trace[i].Volts);
    most = std::max(most, trace[i].Volts);
  }
  return {most - least, peak};
}

static measured control(power_controller &supply, int period, long steps) {
  std::vector<converter::regulator> regulators(converter::converters);
  require(supply.run_controller(period * pace.step, steps * pace.step, [&](unsigned i, double volts) {
    return regulators[i].duty(volts, period * converter::step_seconds);
  }));
  return measure(supply.trace());
}

static void convert(manager &here, power_controller &supply, long steps) {
  std::vector<converter::plant> plants;
  std::vector<unsigned> mine;
  for (unsigned i = 0; i < converter::converters; i++) {
    plants.emplace_back(i);
    if (places()[i] == here.me())
      mine.push_back(i);
  }
  require(supply.run_converters(mine, steps * pace.step,
                                [&](unsigned i, double duty) { return plants[i].advance(duty); }));
}

/// The ripple of each period as a bar, on a scale of the square root.
static void plot(const std::vector<measured> &results, const char *path) {
  FILE *out = fopen(path, "w");
  if (!out)
    throw error(std::string("cannot write ") + path);
  fprintf(out,
          "<svg xmlns='http://www.w3.org/2000/svg' width='560' height='300' font-family='sans-serif' "
          "font-size='13'>\n"
          "<text x='20' y='22'>ripple of the sum of %u voltages, by the controller's period</text>\n",
          converter::converters);
  for (std::size_t i = 0; i < results.size(); i++) {
    double height = std::min(200.0, std::max(1.0, 7 * __builtin_sqrt(results[i].ripple)));
    int x = 30 + static_cast<int>(i) * 64;
    fprintf(out, "<rect x='%d' y='%.0f' width='40' height='%.0f' fill='%s'/>\n", x, 255 - height, height,
            results[i].ripple < 2.4 ? "#4a7" : "#c54");
    fprintf(out, "<text x='%d' y='%.0f'>%.0f V</text><text x='%d' y='275'>%d us</text>\n", x, 250 - height,
            results[i].ripple, x, periods[i] * 10);
  }
  fprintf(out, "</svg>\n");
  fclose(out);
}

/// Holds what it should and loses what it should: stable up to 40 us, not from 50 us on.
static int report(const std::vector<measured> &results) {
  bool good = true;
  printf("period  ripple of the sum  peak\n");
  for (std::size_t i = 0; i < results.size(); i++) {
    bool stable = results[i].ripple < 2.4; // one in a hundred
    good &= stable == (periods[i] <= 4);
    printf("%3d us  %10.1f V  %12.0f V  %s\n", periods[i] * 10, results[i].ripple, results[i].peak,
           stable ? "stable" : "not stable");
  }
  const char *path = getenv("CONVERTER_SVG");
  if (path)
    plot(results, path);
  printf("%s\n", good ? "ok: stable up to 40 us" : "BAD: not as it should be");
  return good ? 0 : 3;
}

static int run_node(int port, node_id me) try {
  alarm(180); // a busy machine needs more than the launcher gives
  const char *text = getenv("CONVERTER_STEPS");
  long steps = text ? atol(text) : 1500;
  std::map<node_id, std::string> hosts;
  for (node_id n = 0; n < nodes; ++n)
    hosts[n] = "127.0.0.1:" + std::to_string(port + static_cast<int>(n));
  manager here(hosts, me);
  power_controller supply("supply", here, controller, places(), pace);
  here.wait_for_ready(8s);
  here.attach_thread();
  std::vector<measured> results;
  for (int period : periods)
    if (me == controller)
      results.push_back(control(supply, period, steps));
    else
      convert(here, supply, steps);
  return me == controller ? report(results) : 0;
} catch (const error &e) {
  fprintf(stderr, "converter: node %u: %s\n", me, e.what());
  return 1;
}

int main(int argc, char **argv) {
  const role roles[] = {{"node", 0}, {"node", 1}, {"node", 2}};
  if (argc == 2 && !strcmp(argv[1], "--all"))
    return launch(roles, nodes);
  if (argc == 4 && !strcmp(argv[1], "node"))
    return run_node(atoi(argv[2]), static_cast<node_id>(atoi(argv[3])));
  fprintf(stderr, "usage: %s --all | node PORT 0 | node PORT 1 | node PORT 2\n", argv[0]);
  return 2;
}
