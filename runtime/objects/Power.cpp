#include "rdma/objects/power.h"

#include <set>
#include <thread>

namespace rdma::objects {

namespace {

using steady = std::chrono::steady_clock;

/// The first threads of the nodes that have something to do. Throws error: one cannot.
std::vector<thread_id> firstThreads(const channel &Of, node_id Controller,
                                    std::span<const node_id> Converters, const power_options &Options) {
  auto Refuse = [&](const std::string &What, node_id Peer) {
    throw error("power_controller '" + Of.name() + "' " + What, Of.name(), Peer);
  };
  if (Options.step <= std::chrono::nanoseconds(0))
    Refuse("has no time for a step", error::no_peer);
  if (Controller >= Of.owner().nodes())
    Refuse("cannot be on node " + std::to_string(Controller), Controller);
  std::set<node_id> Nodes = {Controller};
  for (node_id N : Converters) {
    if (N >= Of.owner().nodes() || (Options.together && N == Controller))
      Refuse("cannot have a converter on node " + std::to_string(N), N);
    Nodes.insert(N);
  }
  std::vector<thread_id> First;
  for (node_id N : Nodes)
    First.push_back({N, 0});
  return First;
}

/// A look at a variable: what is there, or what was there before while it is just changing.
void look(const owned_var<double> &At, double &Value) { Value = At.load().value_or(Value); }

} // namespace

/// The steps of one run.
class power_controller::pace {
public:
  pace(power_controller &Of, time Length)
      : Of(Of), Here(Of.owner().here()), Steps(Length / Of.Options.step), Begun(steady::now()) {}
  bool done() const { return Step >= Steps; }
  long step() const { return Step; }
  time now() const { return Step * Of.Options.step; }
  /// Between the voltages of a step and its duties.
  status half() { return Of.Options.together ? Of.Clock.wait() : status::ok; }
  status next() {
    ++Step;
    if (Of.Options.together)
      return Of.Clock.wait();
    auto Due = Begun + now();
    if (steady::now() > Due)
      Of.Missed.fetch_add(1, std::memory_order_relaxed);
    return waitUntil(Due);
  }

private:
  /// Sleeps as long as there is time for it, then looks at the clock.
  status waitUntil(steady::time_point Due) {
    constexpr auto Awake = std::chrono::microseconds(200);
    for (;;) {
      if (status S = Of.owner().health(); S != status::ok)
        return S;
      Here.poll();
      auto Left = Due - steady::now();
      if (Left <= time(0))
        return status::ok;
      if (Left > Awake)
        std::this_thread::sleep_for(Left - Awake);
    }
  }

  power_controller &Of;
  endpoint &Here;
  long Steps, Step = 0;
  steady::time_point Begun;
};

power_controller::power_controller(std::string Name, manager &Manager, node_id Controller,
                                   std::span<const node_id> Converters, const power_options &Options)
    : channel(std::move(Name), Manager), Controller(Controller), Options(Options),
      Clock(this->name() + "/clock", Manager, firstThreads(*this, Controller, Converters, Options)) {
  agree("controller", Controller);
  agree("nanoseconds of a step", static_cast<word>(Options.step.count()));
  agree("pace", Options.together);
  agree("converters", Converters.size());
  join();
  for (std::size_t I = 0; I < Converters.size(); ++I) {
    std::string At = this->name() + "/" + std::to_string(I);
    Duties.push_back(std::make_unique<owned_var<double>>(At + "/duty", Manager, Controller));
    Volts.push_back(std::make_unique<owned_var<double>>(At + "/volts", Manager, Converters[I]));
  }
}

status power_controller::setDuties(const std::function<double(unsigned)> &Duty) {
  for (unsigned I = 0; I < converters(); ++I) {
    if (status S = Duties[I]->store(Duty(I)); S != status::ok)
      return S;
    if (status S = Duties[I]->push({Volts[I]->owned_by()}); S != status::ok)
      return S;
  }
  return status::ok;
}

status power_controller::run_controller(time Period, time Length, const law &Law) {
  if (me() != Controller)
    return status::not_owner;
  long Every = std::max<long>(1, Period / Options.step);
  std::vector<double> Seen(converters(), 0);
  Trace.clear();
  for (pace Pace(*this, Length); !Pace.done();) {
    if (status S = Pace.half(); S != status::ok)
      return S;
    double Sum = 0;
    for (unsigned I = 0; I < converters(); ++I) {
      look(*Volts[I], Seen[I]);
      Sum += Seen[I];
    }
    Trace.push_back({Pace.now(), Sum});
    if (Pace.step() % Every == 0)
      if (status S = setDuties([&](unsigned I) { return Law(I, Seen[I]); }); S != status::ok)
        return S;
    if (status S = Pace.next(); S != status::ok)
      return S;
  }
  if (status S = setDuties([](unsigned) { return 0; }); S != status::ok)
    return S;
  return Options.together ? Clock.wait() : owner().fence();
}

status power_controller::run_converters(std::span<const unsigned> Which, time Length, const plant &Plant) {
  for (unsigned I : Which)
    if (I >= converters() || Volts[I]->owned_by() != me())
      return status::not_owner;
  std::vector<double> Duty(Which.size(), 0);
  for (pace Pace(*this, Length); !Pace.done();) {
    for (std::size_t I = 0; I < Which.size(); ++I) {
      owned_var<double> &Mine = *Volts[Which[I]];
      look(*Duties[Which[I]], Duty[I]);
      if (status S = Mine.store(Plant(Which[I], Duty[I])); S != status::ok)
        return S;
      if (status S = Mine.push({Controller}); S != status::ok)
        return S;
    }
    if (status S = Pace.half(); S != status::ok)
      return S;
    if (status S = Pace.next(); S != status::ok)
      return S;
  }
  return Options.together ? Clock.wait() : status::ok;
}

} // namespace rdma::objects
