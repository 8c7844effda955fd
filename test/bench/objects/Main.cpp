// objects-bench [--nodes=N] [--threads=N] [--rounds=N] [--milliseconds=N] [--number=N] CONTENDER...: a line
// with name and figure for each.
#include "Bench.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace rdma::bench;

namespace rdma::bench {
settings Settings;
std::vector<contender> &contenders() {
  static std::vector<contender> All;
  return All;
}
} // namespace rdma::bench

static int usage() {
  fprintf(stderr, "usage: objects-bench [--nodes=N] [--threads=N] [--rounds=N] [--milliseconds=N] "
                  "[--number=N] CONTENDER...\n"
                  "contenders:");
  for (const contender &C : contenders())
    fprintf(stderr, " %s", C.Name);
  fputc('\n', stderr);
  return 2;
}

static bool take(const char *Argument, const char *Name, unsigned long &Into) {
  std::size_t Length = strlen(Name);
  char *End;
  if (strncmp(Argument, Name, Length) != 0)
    return false;
  Into = strtoul(Argument + Length, &End, 10);
  return Argument[Length] && !*End;
}

static bool run(const contender &C, const rdma::objects::test::plan &Plan) {
  auto Result = rdma::objects::test::runGroup(Plan, [&](member &M) { C.Run(M); });
  std::vector<double> Values;
  for (const std::string &Line : Result.Lines)
    Values.push_back(strtod(Line.c_str(), nullptr));
  if (!Result.Good || Values.empty())
    return false;
  std::sort(Values.begin(), Values.end());
  double Value = Values[Values.size() / 2];
  if (C.Sum) {
    Value = 0;
    for (double V : Values)
      Value += V;
  }
  printf("%s %.6g\n", C.Name, Value);
  fflush(stdout);
  return true;
}

int main(int Count, char **Given) {
  unsigned long Nodes = 2, Threads = 1, Rounds = 500, Milliseconds = 200, Number = 1;
  std::vector<const contender *> Chosen;
  for (int I = 1; I < Count; ++I) {
    const char *A = Given[I];
    if (take(A, "--nodes=", Nodes) || take(A, "--threads=", Threads) || take(A, "--rounds=", Rounds) ||
        take(A, "--milliseconds=", Milliseconds) || take(A, "--number=", Number))
      continue;
    for (const contender &C : contenders())
      if (!strcmp(A, C.Name))
        Chosen.push_back(&C);
    if (Chosen.empty() || strcmp(Chosen.back()->Name, A) != 0)
      return usage();
  }
  if (Chosen.empty() || Nodes < 1 || Nodes > 64 || Threads < 1 || Threads > 64 || Number < 1)
    return usage();
  Settings = {std::chrono::milliseconds(Milliseconds), static_cast<unsigned>(Number)};
  rdma::objects::test::plan Plan;
  Plan.Nodes = static_cast<unsigned>(Nodes);
  Plan.Threads = static_cast<unsigned>(Threads);
  Plan.Rounds = Rounds;
  Plan.Seconds = 120;
  for (const contender *C : Chosen)
    if (!run(*C, Plan))
      return 1;
}
