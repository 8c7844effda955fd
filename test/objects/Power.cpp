// The power controller: twenty converters are held for periods that are short enough, and not beyond; by the
// clock, steps that are late are counted.
#include "rdma/objects/power.h"
#include "examples/converter/Plant.h"
#include "test/objects/Group.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

constexpr auto Step = 10us;

/// Converters on every node but the controller's.
std::vector<node_id> places(const member &M) {
  std::vector<node_id> Places;
  for (unsigned I = 0; I < converter::converters; ++I)
    Places.push_back(1 + I % (M.Plan.Nodes - 1));
  return Places;
}

std::vector<unsigned> of(const std::vector<node_id> &Places, node_id Node) {
  std::vector<unsigned> Which;
  for (unsigned I = 0; I < Places.size(); ++I)
    if (Places[I] == Node)
      Which.push_back(I);
  return Which;
}

/// How much the output moves in the last quarter.
double ripple(const std::vector<power_controller::sample> &Trace) {
  auto ByVolts = [](const auto &A, const auto &B) { return A.Volts < B.Volts; };
  auto [Least, Most] =
      std::minmax_element(Trace.begin() + static_cast<long>(Trace.size() * 3 / 4), Trace.end(), ByVolts);
  return Most->Volts - Least->Volts;
}

/// Holds the converters up to a period of 40 us, not from 50 us on. Late: each shows the voltage that it had
/// a step before.
void periods(member &M, bool Late) {
  constexpr auto Length = 12000us;
  manager Here(M.Hosts, M.Me, M.settings());
  std::vector<node_id> Places = places(M);
  power_controller Supply("supply", Here, 0, Places, {.step = Step, .together = true});
  Here.wait_for_ready(60s);
  Here.attach_thread(0);
  for (auto Period : {Step, 4 * Step, 5 * Step, 10 * Step}) {
    if (M.Me == 0) {
      std::vector<converter::regulator> Laws(converter::converters);
      OK(Supply.run_controller(Period, Length, [&](unsigned I, double Volts) {
        return Laws[I].duty(Volts, std::chrono::duration<double>(Period).count());
      }));
      CHECK(Supply.trace().size() == Length / Step);
      bool Stable = ripple(Supply.trace()) < 2.4; // one in a hundred
      if (Stable != (Period <= 4 * Step))
        fail(std::to_string(Period.count()) + " us: " + (Stable ? "stable" : "not stable"));
      continue;
    }
    std::vector<converter::plant> Plants;
    std::vector<double> Before(converter::converters, 0);
    for (unsigned I = 0; I < converter::converters; ++I)
      Plants.emplace_back(I);
    OK(Supply.run_converters(of(Places, M.Me), Length, [&](unsigned I, double Duty) {
      double Now = Plants[I].advance(Duty);
      return Late ? std::exchange(Before[I], Now) : Now;
    }));
  }
  CHECK(Supply.missed() == 0);
}

/// By the clock, one converter on each other node: voltages never go back, a step that takes too long is
/// counted, and in the end the duties are zero.
void byTheClock(member &M) {
  constexpr auto Tick = 2ms;
  constexpr int Steps = 50;
  manager Here(M.Hosts, M.Me, M.settings());
  std::vector<node_id> Places;
  for (node_id N = 1; N < M.Plan.Nodes; ++N)
    Places.push_back(N);
  power_controller Supply("supply", Here, 0, Places, {.step = Tick});
  std::vector<thread_id> First;
  for (node_id N : Here.all())
    First.push_back({N, 0});
  barrier Meet("meet", Here, First);
  Here.wait_for_ready(60s);
  Here.attach_thread(0);
  if (M.Me == 0) {
    std::vector<double> Last(Places.size(), 0);
    OK(Supply.run_controller(2 * Tick, Steps * Tick, [&](unsigned I, double Volts) {
      CHECK(Volts >= Last[I]);
      Last[I] = Volts;
      return 0.5;
    }));
    CHECK(Supply.trace().size() == Steps && Supply.trace().back().At == (Steps - 1) * Tick);
    CHECK(Supply.run_converter(0, Tick, {}) == status::not_owner);
    OK(Meet.wait());
    return;
  }
  unsigned Mine = M.Me - 1;
  int Calls = 0;
  OK(Supply.run_converter(Mine, Steps * Tick, [&](unsigned, double Duty) {
    CHECK(Duty == 0 || Duty == 0.5);
    if (++Calls == 3)
      std::this_thread::sleep_for(2 * Tick);
    return Calls;
  }));
  CHECK(Calls == Steps && Supply.missed() > 0);
  CHECK(Supply.run_controller(Tick, Tick, {}) == status::not_owner);
  CHECK(Supply.run_converter(static_cast<unsigned>(Places.size()), Tick, {}) == status::not_owner);
  OK(Meet.wait());
  OK(Supply.run_converter(Mine, Tick, [](unsigned, double Duty) {
    CHECK(Duty == 0);
    return 0;
  }));
}

/// What cannot be: a converter nowhere, one beside the controller that goes together with it, a step of no
/// time; and a thread that is not the first goes with nobody.
void refused(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  auto Refuses = [&](node_id Place, const power_options &Options, node_id Peer) {
    try {
      power_controller Bad("bad" + std::to_string(Place), Here, 0, {&Place, 1}, Options);
    } catch (const error &E) {
      CHECK(E.peer == Peer && E.channel == "bad" + std::to_string(Place));
      return;
    }
    fail("no error");
  };
  Refuses(M.Plan.Nodes, {}, M.Plan.Nodes);
  Refuses(0, {.together = true}, 0);
  Refuses(1, {.step = 0us}, error::no_peer);
  try {
    power_controller Bad("nowhere", Here, M.Plan.Nodes, std::vector<node_id>{1});
    fail("no error");
  } catch (const error &E) {
    CHECK(E.peer == M.Plan.Nodes);
  }
  power_controller Supply("supply", Here, 0, std::vector<node_id>{1}, {.step = Step, .together = true});
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    if (M.Me == 0 && Index == 1)
      CHECK(Supply.run_controller(Step, Step, [](unsigned, double) { return 0; }) == status::not_participant);
  });
}

/// Less than a step is none, as is a time that is already over.
void noTime(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  power_controller Supply("supply", Here, 0, std::vector<node_id>{1}, {.step = Step});
  Here.wait_for_ready(60s);
  Here.attach_thread(0);
  auto Never = [](unsigned, double) -> double { fail("a step"); };
  for (auto Length : {0us, Step - 1us, -Step, -1000000us})
    if (M.Me == 0) {
      OK(Supply.run_controller(Step, Length, Never));
      CHECK(Supply.trace().empty());
    } else if (M.Me == 1)
      OK(Supply.run_converter(0, Length, Never));
}

add A("power", [](member &M) { periods(M, false); }),
    B("power-late-bug", [](member &M) { periods(M, true); }), C("power-clock", byTheClock),
    D("power-refused", refused), E("power-no-time", noTime);

} // namespace

} // namespace rdma::objects::test
