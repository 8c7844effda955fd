// One sender, messages of 64 bytes, all others acknowledge; Settings.Number of them are under way. Ours, and
// a binomial tree of messages.
#include "Bench.h"
#include "Messages.h"
#include "rdma/objects/ring.h"
#include "rdma/objects/vars.h"

#include <algorithm>
#include <array>

namespace rdma::bench {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t Words = 8;
using message = std::array<word, Words>;

void ours(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  std::vector<thread_id> Readers;
  for (node_id N : Here.all().without(0))
    Readers.push_back({N, 0});
  // As many as there is room for are under way: the readers' acknowledgements are the ring's own.
  ring Ring("ring", Here, {0, 0}, Readers, Settings.Number * (Words + 1));
  Here.wait_for_ready(60s);
  Here.attach_thread();
  OK(Meet.wait());
  message Sent{};
  waiting Wait(Here.here());
  double Rate = rateOf(M.Plan.Rounds, [&](std::uint64_t) {
    if (M.Me == 0)
      return OK(Ring.submit(Sent));
    while (!Ring.peek())
      OK(Wait.step());
    Wait.again();
    Ring.release();
  });
  OK(Meet.wait());
  if (M.Me == 1)
    M.say(std::to_string(Rate));
}

/// Messages down the tree, acknowledgements up; at most Settings.Number are on their way.
void passOn(messages &Net, std::uint64_t Rounds, node_id Parent, const std::vector<node_id> &Children) {
  message Text{};
  word Token = 0;
  bool Root = Net.me() == 0;
  std::uint64_t Sent = 0, Acknowledged = 0;
  std::vector<std::uint64_t> Heard(Children.size(), 0);
  patience Wait;
  while (Acknowledged < Rounds) {
    bool Any = Sent < Rounds &&
               (Root ? Sent - Acknowledged < Settings.Number : Net.receive(Parent, 0, &Text, sizeof Text));
    if (Any) {
      for (node_id N : Children)
        Net.send(N, 0, &Text, sizeof Text);
      ++Sent;
    }
    for (std::size_t I = 0; I < Children.size(); ++I)
      if (Net.receive(Children[I], 0, &Token, sizeof Token))
        ++Heard[I], Any = true;
    std::uint64_t Least = Children.empty() ? Sent : *std::min_element(Heard.begin(), Heard.end());
    for (; Acknowledged < Least; ++Acknowledged)
      if (!Root)
        Net.send(Parent, 0, &Token, sizeof Token);
    Any ? Wait.again() : Wait.step();
  }
}

/// Node N hears from N without its highest bit, and tells N + 2^k for each 2^k above N.
void byMessages(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  messages Net("net", Here, 1);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  Net.connect([&] { OK(Meet.wait()); });
  node_id Parent = 0;
  std::vector<node_id> Children;
  for (unsigned Bit = 1; Bit < Here.nodes(); Bit *= 2)
    if (Bit > M.Me)
      Children.push_back(M.Me + Bit);
    else
      Parent = M.Me % Bit;
  std::erase_if(Children, [&](node_id N) { return N >= Here.nodes(); });
  double Rate = rateOf(1, [&](std::uint64_t) { passOn(Net, M.Plan.Rounds, Parent, Children); });
  OK(Meet.wait());
  if (M.Me == 1)
    M.say(std::to_string(Rate * static_cast<double>(M.Plan.Rounds)));
}

enter A("ring.ours", ours), B("ring.messages", byMessages);

} // namespace

} // namespace rdma::bench
