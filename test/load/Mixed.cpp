// load-mixed: many processes, each with many queue pairs, connected at random, under mixed operations.
// Nothing may be lost, done twice, reordered or damaged.
#include "test/load/Mixed.h"
#include "test/load/Arguments.h"

#include <csignal>
#include <numeric>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace rdma::load {

std::vector<uint32_t> MixedPlan::peers() const {
  std::vector<uint32_t> Order(size_t(Processes) * Links), Peer(Order.size());
  std::iota(Order.begin(), Order.end(), 0);
  Random Draw(mix(Seed));
  for (uint32_t I = static_cast<uint32_t>(Order.size()); I > 1; --I)
    std::swap(Order[I - 1], Order[Draw.below(I)]);
  for (size_t I = 0; I < Order.size(); I += 2) {
    size_t Other = I + 1 < Order.size() ? I + 1 : I; // one that is left over talks to itself
    Peer[Order[I]] = Order[Other];
    Peer[Order[Other]] = Order[I];
  }
  return Peer;
}

namespace {

struct Child {
  pid_t Pid;
  int Fd;
};

MixedPlan Plan;
std::vector<Child> Children;

void readPlan(int Count, char **Given) {
  uint64_t Operations = 10000, Processes = 32, Links = 8, Threads = 2;
  readArguments(Count, Given, "load-mixed",
                {{"--processes=", Processes, 1, 1000},
                 {"--queue-pairs=", Links, 1, MaxLinks},
                 {"--threads=", Threads, 1, 16},
                 {"--operations=", Operations, 1, uint64_t(1) << 40},
                 {"--seed=", Plan.Seed, 0, ~uint64_t(0)}});
  Plan.Processes = static_cast<uint32_t>(Processes);
  Plan.Links = static_cast<uint32_t>(Links);
  Plan.Threads = static_cast<uint32_t>(Threads);
  Plan.Operations = (Operations + Processes * Links - 1) / (Processes * Links);
}

void startChild(uint32_t Number) {
  int Ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Ends) == 0);
  pid_t Pid = fork();
  if (Pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const Child &C : Children)
      close(C.Fd);
    close(Ends[0]);
    runMixedProcess(Plan, Number, test::Line(Ends[1]));
    exit(0);
  }
  CHECK(Pid > 0);
  close(Ends[1]);
  Children.push_back({Pid, Ends[0]});
}

/// Ends with status 1 if a process has ended otherwise than well; the others end with this one.
void checkChildren() {
  int Status = 0;
  for (pid_t Ended; (Ended = waitpid(-1, &Status, WNOHANG)) > 0;) {
    if (WIFEXITED(Status) && WEXITSTATUS(Status) == 0)
      continue;
    fprintf(stderr, "load-mixed: a process ended with %s %d\n", WIFEXITED(Status) ? "status" : "signal",
            WIFEXITED(Status) ? WEXITSTATUS(Status) : WTERMSIG(Status));
    _exit(1);
  }
}

template <typename T> std::vector<T> hearAll() {
  std::vector<T> All;
  for (const Child &C : Children) {
    pollfd Poll = {C.Fd, POLLIN, 0};
    while (poll(&Poll, 1, 200) == 0)
      checkChildren();
    if (Poll.revents & POLLHUP && !(Poll.revents & POLLIN)) {
      usleep(100000);
      checkChildren();
    }
    All.push_back(test::Line(C.Fd).hear<T>());
  }
  return All;
}

void tellAll(char What) {
  for (const Child &C : Children)
    test::Line(C.Fd).tell(What);
}

/// Hands what each link said to the other end.
template <typename T> void exchange() {
  std::vector<T> Said = hearAll<T>();
  std::vector<uint32_t> Peers = Plan.peers();
  for (uint32_t P = 0; P < Plan.Processes; ++P) {
    T Of = {};
    for (uint32_t I = 0; I < Plan.Links; ++I) {
      uint32_t Peer = Peers[P * Plan.Links + I];
      Of[I] = Said[Peer / Plan.Links][Peer % Plan.Links];
    }
    test::Line(Children[P].Fd).tell(Of);
  }
}

void meet() {
  hearAll<char>();
  tellAll('!');
}

int run() {
  for (uint32_t I = 0; I < Plan.Processes; ++I)
    startChild(I);
  exchange<Endpoints>();
  meet();
  exchange<Tallies>();
  meet();
  std::vector<uint32_t> Peers = Plan.peers();
  std::vector<Tallies> Ended = hearAll<Tallies>();
  uint64_t Operations = 0, Messages = 0, Added = 0;
  for (uint32_t Side = 0; Side < Peers.size(); ++Side) {
    const Tally &Mine = Ended[Side / Plan.Links][Side % Plan.Links];
    const Tally &Other = Ended[Peers[Side] / Plan.Links][Peers[Side] % Plan.Links];
    if (Mine.Completed != Plan.Operations || Mine.Messages != Other.Received) {
      fprintf(
          stderr,
          "load-mixed: side %u completed %lu of %lu operations and sent %lu messages, %lu were received\n",
          Side, Mine.Completed, Plan.Operations, Mine.Messages, Other.Received);
      return 1;
    }
    Operations += Mine.Completed;
    Messages += Mine.Messages;
    Added += Mine.Added + Mine.CommonAdded;
  }
  tellAll('!');
  for (const Child &C : Children) {
    int Status = 0;
    if (waitpid(C.Pid, &Status, 0) == C.Pid && Status) {
      fprintf(stderr, "load-mixed: a process ended with wait status %d\n", Status);
      return 1;
    }
  }
  printf("%lu operations, %lu messages, %lu additions: none lost, none twice\n", Operations, Messages, Added);
  return 0;
}

} // namespace
} // namespace rdma::load

int main(int Count, char **Arguments) {
  rdma::load::readPlan(Count, Arguments);
  // A fabric of its own, unless one is asked for.
  setenv("RDMA_FABRIC", ("load-" + std::to_string(getpid())).c_str(), 0);
  return rdma::load::run();
}
