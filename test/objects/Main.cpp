// objects-test SCENARIO...: runs scenarios on the emulated device, each as several processes.
#include "test/objects/Group.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

using namespace rdma::objects::test;

namespace {

int usage() {
  fprintf(stderr,
          "usage: objects-test [--nodes=N] [--threads=N] [--rounds=N] [--seed=N] [--seeds=N] [--weak] "
          "[--seconds=N] SCENARIO...\nscenarios:");
  for (const scenario &S : scenarios())
    fprintf(stderr, " %s", S.Name);
  fputc('\n', stderr);
  return 2;
}

/// The number behind NAME=; false when the argument is another.
bool take(const char *Argument, const char *Name, std::uint64_t &Into) {
  std::size_t Length = strlen(Name);
  if (strncmp(Argument, Name, Length))
    return false;
  char *End;
  Into = strtoull(Argument + Length, &End, 10);
  return Argument[Length] && !*End;
}

/// What is broken on purpose may also wait for ever: the next seed shows how it goes wrong.
bool mayHang(const scenario &S) { return std::string_view(S.Name).ends_with("-bug"); }

bool run(const scenario &S, plan Plan, std::uint64_t Seeds) {
  for (std::uint64_t I = 0; I < Seeds; ++I, ++Plan.Seed)
    if (!S.Run(Plan) && !(mayHang(S) && wasOutOfTime() && I + 1 < Seeds)) {
      printf("%s: failed with seed %llu%s\n", S.Name, static_cast<unsigned long long>(Plan.Seed),
             Plan.Weak ? ", weak" : "");
      return false;
    }
  printf("%s: ok\n", S.Name);
  return true;
}

} // namespace

int main(int Count, char **Given) {
  plan Plan;
  std::uint64_t Nodes = Plan.Nodes, Threads = Plan.Threads, Seconds = Plan.Seconds, Seeds = 1;
  std::vector<const scenario *> Chosen;
  for (int I = 1; I < Count; ++I) {
    const char *A = Given[I];
    if (!strcmp(A, "--weak")) {
      Plan.Weak = true;
      continue;
    }
    if (take(A, "--nodes=", Nodes) || take(A, "--threads=", Threads) || take(A, "--rounds=", Plan.Rounds) ||
        take(A, "--seed=", Plan.Seed) || take(A, "--seeds=", Seeds) || take(A, "--seconds=", Seconds))
      continue;
    const scenario *Found = nullptr;
    for (const scenario &S : scenarios())
      if (!strcmp(A, S.Name))
        Found = &S;
    if (!Found)
      return usage();
    Chosen.push_back(Found);
  }
  if (Chosen.empty() || Nodes < 1 || Nodes > 64 || Threads < 1 || Threads > 64)
    return usage();
  Plan.Nodes = static_cast<unsigned>(Nodes);
  Plan.Threads = static_cast<unsigned>(Threads);
  Plan.Seconds = static_cast<unsigned>(Seconds);
  bool Good = true;
  for (const scenario *S : Chosen)
    Good &= run(*S, Plan, Seeds);
  return !Good;
}
