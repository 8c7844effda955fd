// Barrier: ours with and without the fence, and a dissemination barrier of messages.
#include "Bench.h"
#include "Messages.h"

namespace rdma::bench {

namespace {

using namespace std::chrono_literals;

template <class Wait> void rounds(member &M, Wait &&Do) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    for (unsigned I = 0; I < 20; ++I)
      OK(Do(Meet));
    double Rate = rateOf(M.Plan.Rounds, [&](std::uint64_t) { OK(Do(Meet)); });
    if (Index == 0)
      M.say(std::to_string(Rate));
  });
}

void fenced(member &M) {
  rounds(M, [](barrier &B) { return B.wait(); });
}
void unfenced(member &M) {
  rounds(M, [](barrier &B) { return B.wait_nofence(); });
}

/// In round R a node tells the one 2^R further, and hears of the one 2^R before. Threads of a node would meet
/// first; here each node has one.
class dissemination {
public:
  explicit dissemination(messages &Net) : Net(Net) {}
  void wait() {
    unsigned Nodes = Net.owner().nodes();
    for (unsigned Step = 1; Step < Nodes; Step *= 2) {
      word Token = Step;
      Net.send((Net.me() + Step) % Nodes, 0, &Token, sizeof Token);
      patience Wait;
      while (!Net.receive((Net.me() + Nodes - Step) % Nodes, 0, &Token, sizeof Token))
        Wait.step();
    }
  }

private:
  messages &Net;
};

void byMessages(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  messages Net("net", Here, 1);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  Net.connect([&] { OK(Meet.wait()); });
  dissemination Barrier(Net);
  for (unsigned I = 0; I < 20; ++I)
    Barrier.wait();
  M.say(std::to_string(rateOf(M.Plan.Rounds, [&](std::uint64_t) { Barrier.wait(); })));
  OK(Meet.wait());
}

enter A("barrier.fenced", fenced), B("barrier.unfenced", unfenced), C("barrier.messages", byMessages);

} // namespace

} // namespace rdma::bench
