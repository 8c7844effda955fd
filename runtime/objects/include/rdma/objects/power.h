// Power converters controlled over RDMA (LOCO's distributed DC/DC converter): each converter has its duty
// from the controller and gives its voltage to it, each in an owned_var, one writer each.
//
// A converter looks at its duty, advances its plant and pushes the voltage, once a step; the controller looks
// at all voltages once a step, and once a period sets all duties by its law and pushes them. Nobody waits for
// anybody: a look that finds an old value goes on with it, and never with an older one than before (single
// writer, in order: stamps aCW and aNRW of a push, aCR of a look). The law must bear values that are late by
// a period and the way.
//
// Times are of the plant. They are the clock's, or scaled: rounds of a barrier (options below).
//
// Cost: a step of a converter is one put; a period of the controller one for each converter.
#pragma once

#include "rdma/objects/barrier.h"
#include "rdma/objects/vars.h"

#include <functional>

namespace rdma::objects {

struct power_options {
  std::chrono::nanoseconds step{10000};
  /// Off: steps by the clock, each loop by itself; one that comes late is counted. On: the first threads of
  /// the nodes that take part go together, two rounds of a barrier a step (voltages, then duties): none is
  /// late.
  bool together = false;
};

class power_controller : public channel {
public:
  using time = std::chrono::nanoseconds;
  /// What a converter does with a duty from 0 to 1 in a step: the volts behind it.
  using plant = std::function<double(unsigned Converter, double Duty)>;
  /// The duty for the next period, by the volts that are seen.
  using law = std::function<double(unsigned Converter, double Volts)>;
  /// The output, as the controller saw it at a time since it began: the sum of all volts.
  struct sample {
    time At;
    double Volts;
  };

  /// Converters: the node of each. Throws error: there is no such node, or (together) it is the
  /// controller's.
  power_controller(std::string Name, manager &Manager, node_id Controller,
                   std::span<const node_id> Converters, const power_options &Options = {});

  unsigned converters() const { return static_cast<unsigned>(Duties.size()); }

  /// One thread of the controller's node. Period: rounded down to whole steps, at least one. At the end all
  /// duties are zero again. ok, not_owner (another node), not_participant (together, another thread),
  /// peer_lost, stopped.
  status run_controller(time Period, time Length, const law &Law);
  /// One thread of the converter's node for each; results as above.
  status run_converter(unsigned Converter, time Length, const plant &Plant) {
    return run_converters({&Converter, 1}, Length, Plant);
  }
  /// Several of this node in one thread, as together needs it; results as above.
  status run_converters(std::span<const unsigned> Which, time Length, const plant &Plant);

  /// What the controller saw in its last run, a sample each step.
  const std::vector<sample> &trace() const { return Trace; }
  /// Steps of this node, so far, that were done only when the next one was due already.
  std::uint64_t missed() const { return Missed.load(std::memory_order_relaxed); }

private:
  using value = std::unique_ptr<owned_var<double>>;
  class pace;
  status setDuties(const std::function<double(unsigned)> &Duty);

  node_id Controller;
  power_options Options;
  barrier Clock;
  std::vector<value> Duties, Volts; ///< of each converter
  std::vector<sample> Trace;
  std::atomic<std::uint64_t> Missed{0};
};

} // namespace rdma::objects
