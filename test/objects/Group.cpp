#include "test/objects/Group.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace rdma::objects::test {

namespace {

std::string Who = "parent";
bool OutOfTime = false;

struct child {
  pid_t Pid;
  int FromChild;
  std::string Said;
};

[[noreturn]] void beMember(const plan &Plan, node_id Me, const std::map<node_id, std::string> &Hosts,
                           int ToParent, const std::function<void(member &)> &Body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm(Plan.Seconds);
  Who = "node " + std::to_string(Me);
  setenv("RDMA_SCHEDULE", Plan.Weak ? "weak" : "strong", 1);
  setenv("RDMA_SEED", std::to_string(Plan.Seed * 64 + Me).c_str(), 1);
  member M{Plan, Me, Hosts, ToParent};
  try {
    Body(M);
  } catch (const std::exception &E) {
    fail(std::string("exception: ") + E.what());
  }
  exit(0);
}

/// Until every child has closed its end.
void readAll(std::vector<child> &Children) {
  for (std::size_t Open = Children.size(); Open;) {
    std::vector<pollfd> Ends;
    for (child &C : Children)
      Ends.push_back({C.FromChild, POLLIN, 0});
    poll(Ends.data(), Ends.size(), -1);
    for (std::size_t I = 0; I < Ends.size(); ++I) {
      if (Ends[I].fd < 0 || !Ends[I].revents)
        continue;
      char Buffer[65536];
      ssize_t N = read(Ends[I].fd, Buffer, sizeof Buffer);
      if (N > 0)
        Children[I].Said.append(Buffer, static_cast<std::size_t>(N));
      else
        close(std::exchange(Children[I].FromChild, -1)), --Open;
    }
  }
}

} // namespace

void fail(const std::string &What) {
  fprintf(stderr, "%s: %s\n", Who.c_str(), What.c_str());
  fflush(stderr);
  _exit(1);
}

void unexpected(status S, const char *What) { fail(std::string(What) + ": " + to_string(S)); }

void member::say(const std::string &Line) const {
  std::string Text = Line + "\n";
  CHECK(write(ToParent, Text.data(), Text.size()) == static_cast<ssize_t>(Text.size()));
}

outcome runGroup(const plan &Plan, const std::function<void(member &)> &Body,
                 const std::function<void(std::vector<int> &)> &Meanwhile) {
  static int Run = 0;
  std::string Fabric = "objects-" + std::to_string(getpid()) + "-" + std::to_string(++Run);
  setenv("RDMA_FABRIC", Fabric.c_str(), 1);
  fflush(stdout);
  std::map<node_id, std::string> Hosts;
  for (node_id N = 0; N < Plan.Nodes; ++N)
    Hosts[N] = "127.0.0.1:" + std::to_string(7100 + N);
  std::vector<child> Children;
  std::vector<int> Pids;
  for (node_id N = 0; N < Plan.Nodes; ++N) {
    int Ends[2];
    CHECK(pipe(Ends) == 0);
    pid_t Pid = fork();
    CHECK(Pid >= 0);
    if (Pid == 0) {
      close(Ends[0]);
      beMember(Plan, N, Hosts, Ends[1], Body);
    }
    close(Ends[1]);
    Children.push_back({Pid, Ends[0], {}});
    Pids.push_back(Pid);
  }
  if (Meanwhile)
    Meanwhile(Pids);
  outcome Result;
  OutOfTime = false;
  readAll(Children);
  for (child &C : Children) {
    int Status = 0;
    waitpid(C.Pid, &Status, 0);
    bool Killed = Meanwhile && WIFSIGNALED(Status) && WTERMSIG(Status) == SIGKILL;
    bool Late = WIFSIGNALED(Status) && WTERMSIG(Status) == SIGALRM;
    OutOfTime |= Late;
    if (WIFSIGNALED(Status) && !Killed)
      fprintf(stderr, "a node was ended by signal %d%s\n", WTERMSIG(Status), Late ? " (out of time)" : "");
    Result.Good &= Killed || (WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
    for (std::size_t At = 0, End; (End = C.Said.find('\n', At)) != std::string::npos; At = End + 1)
      Result.Lines.push_back(C.Said.substr(At, End - At));
  }
  return Result;
}

bool wasOutOfTime() { return OutOfTime; }

void inThreads(manager &Manager, const std::function<void(unsigned)> &Body) {
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < Manager.threads(); ++I)
    Threads.emplace_back([&, I] {
      try {
        Manager.attach_thread(I);
        Body(I);
      } catch (const std::exception &E) {
        fail(std::string("exception: ") + E.what());
      }
    });
  for (std::thread &T : Threads)
    T.join();
}

std::vector<scenario> &scenarios() {
  static std::vector<scenario> All;
  return All;
}

} // namespace rdma::objects::test
