// Runs one function as several nodes, a process each, on the emulated device, and says how it went.
#pragma once

#include "rdma/objects/manager.h"

#include <cstdint>
#include <functional>
#include <random>
#include <string>

namespace rdma::objects::test {

/// What the command line asks for.
struct plan {
  unsigned Nodes = 3, Threads = 2;
  std::uint64_t Rounds = 100, Seed = 1;
  bool Weak = false;
  unsigned Seconds = 600; ///< a run that takes longer has failed
};

/// One node of a run.
struct member {
  const plan &Plan;
  node_id Me;
  std::map<node_id, std::string> Hosts;
  int ToParent; ///< a line written here is printed by the parent, and known to it

  options settings() const {
    options O;
    O.threads = Plan.Threads;
    return O;
  }
  std::mt19937_64 random(unsigned Thread = 0) const {
    return std::mt19937_64(Plan.Seed * 1000003 + Me * 1009 + Thread);
  }
  void say(const std::string &Line) const;
};

/// Ends the process with one line and status 1.
[[noreturn]] void fail(const std::string &What);
#define CHECK(Condition)                                                                                     \
  ((Condition) ? void()                                                                                      \
               : ::rdma::objects::test::fail(std::string(__FILE__ ":") + std::to_string(__LINE__) +          \
                                             ": " #Condition))
[[noreturn, gnu::cold]] void unexpected(status S, const char *What);
inline void expect(status S, const char *What) {
  if (S != status::ok) [[unlikely]]
    unexpected(S, What);
}
#define OK(Call) ::rdma::objects::test::expect((Call), #Call)

/// A run: the functions are called in processes of their own, and must end with status 0 (or as Killed says).
/// Returns the lines the members said, in the order of the nodes; nothing when a member failed.
struct outcome {
  bool Good = true;
  std::vector<std::string> Lines;
};
outcome runGroup(const plan &Plan, const std::function<void(member &)> &Body,
                 const std::function<void(std::vector<int> &Pids)> &Meanwhile = {});

/// Whether a node of the last run was ended because it took too long.
bool wasOutOfTime();

/// Runs Body(Index) in Plan.Threads threads, each attached.
void inThreads(manager &Manager, const std::function<void(unsigned)> &Body);

/// The scenarios that a test program knows.
struct scenario {
  const char *Name;
  std::function<bool(const plan &)> Run;
};
std::vector<scenario> &scenarios();
struct add {
  add(const char *Name, std::function<void(member &)> Body) {
    scenarios().push_back({Name, [Body](const plan &P) { return runGroup(P, Body).Good; }});
  }
  add(const char *Name, std::function<bool(const plan &)> Run) {
    scenarios().push_back({Name, std::move(Run)});
  }
};

} // namespace rdma::objects::test
