// Transfers between accounts that are spread over three nodes. Each locks both accounts, reads both, writes
// both, and unlocks, without waiting for its writes; whoever holds the locks sees the sum unchanged.
#include "common/launch.h"
#include "rdma/objects/accounts.h"
#include "rdma/objects/barrier.h"
#include "rdma/objects/vars.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <unistd.h>

using namespace rdma::objects;
using namespace std::chrono_literals;

constexpr unsigned nodes = 3, threads = 2;
constexpr std::size_t count = 60;
constexpr std::int64_t initial = 1000;
constexpr int transfers = 60, exit_bad = 3;

struct bank_of_nodes {
  explicit bank_of_nodes(manager &here)
      : accounts_("accounts", here, count, initial), meet("meet", here), sums("sums", here),
        seen_wrong("wrong", here, 0) {}
  accounts accounts_;
  barrier meet;
  sst<std::int64_t> sums;
  atomic_var seen_wrong;
};

static void require(status s) {
  if (s != status::ok)
    throw error(to_string(s));
}

/// Two accounts that only this thread's transfers move money between must always have the same sum.
static void work(manager &here, bank_of_nodes &bank, unsigned index) {
  std::mt19937_64 draw(here.position({here.me(), index}) + 1);
  std::size_t mine = 2 * here.position({here.me(), index});
  for (int i = 0; i < transfers; i++) {
    auto amount = static_cast<std::int64_t>(draw() % 100);
    if (i % 4 == 0) {
      std::int64_t a, b;
      require(bank.accounts_.transfer(mine, mine + 1, amount));
      require(bank.accounts_.balances(mine, mine + 1, a, b));
      word old;
      if (a + b != 2 * initial)
        require(bank.seen_wrong.fetch_add(1, old));
    } else {
      std::size_t others = 2 * nodes * threads, left = count - others;
      require(bank.accounts_.transfer(others + draw() % left, others + draw() % left, amount));
    }
  }
}

static int total(manager &here, bank_of_nodes &bank, unsigned index) {
  require(bank.meet.wait()); // every transfer is in memory
  require(bank.sums.store_mine(index == 0 ? bank.accounts_.sum_here() : 0));
  require(bank.sums.push_broadcast());
  require(bank.meet.wait());
  std::int64_t sum = 0;
  for (std::int64_t part : bank.sums)
    sum += part;
  word wrong;
  require(bank.seen_wrong.load(wrong));
  bool good = sum == static_cast<std::int64_t>(count) * initial && wrong == 0;
  if (here.me() == 0 && index == 0)
    printf("%s: %d transfers between %zu accounts; the sum is %lld, %lld is due\n", good ? "ok" : "BAD",
           transfers * static_cast<int>(nodes * threads), count, static_cast<long long>(sum),
           static_cast<long long>(count) * initial);
  require(bank.meet.wait());
  return good ? 0 : exit_bad;
}

static int run_node(int port, node_id me) try {
  alarm(180); // a busy machine needs more than the launcher gives
  std::map<node_id, std::string> hosts;
  for (node_id n = 0; n < nodes; ++n)
    hosts[n] = "127.0.0.1:" + std::to_string(port + static_cast<int>(n));
  options settings;
  settings.threads = threads;
  manager here(hosts, me, settings);
  bank_of_nodes bank(here);
  here.wait_for_ready(8s);
  std::atomic<int> result{0};
  std::vector<std::thread> workers;
  for (unsigned index = 0; index < threads; ++index)
    workers.emplace_back([&, index] {
      try {
        here.attach_thread(index);
        work(here, bank, index);
        result = std::max<int>(result, total(here, bank, index));
      } catch (const error &e) {
        fprintf(stderr, "bank: node %u: %s\n", me, e.what());
        result = 1;
      }
    });
  for (std::thread &t : workers)
    t.join();
  return result;
} catch (const error &e) {
  fprintf(stderr, "bank: node %u: %s\n", me, e.what());
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
