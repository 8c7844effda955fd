// How fast the explorer is, and how time grows with threads and statements.
//
// bin/explorer-bench; counters: states per second, programs per second, states of one program.
#include "analyzer/explorer/Explore.h"
#include "ir/Litmus.h"

#include <benchmark/benchmark.h>

#include <filesystem>

using namespace rdma;
using namespace rdma::explorer;

namespace {

/// Each thread on a node of its own, with mixed remote operations towards its neighbour.
Program mixedRemote(unsigned Threads, unsigned Statements) {
  std::string Text = "litmus \"bench\"\n";
  auto name = [](const char *Base, unsigned T) { return Base + std::to_string(T); };
  for (unsigned T = 1; T <= Threads; ++T)
    Text += "node " + std::to_string(T) + " { " + name("x", T) + " = 1; " + name("y", T) + "; " +
            name("z", T) + "; }\n";
  for (unsigned T = 1; T <= Threads; ++T) {
    unsigned Next = T % Threads + 1;
    const std::string Ways[] = {"put " + name("y", Next) + " <- " + name("x", T) + ";",
                                "get " + name("z", T) + " <- " + name("y", Next) + ";",
                                "rfaa " + name("z", T) + " <- " + name("y", Next) + " (1);",
                                "put " + name("x", Next) + " <- " + name("z", T) + ";",
                                "rcas " + name("z", T) + " <- " + name("x", Next) + " (1, 2);",
                                "get " + name("x", T) + " <- " + name("x", Next) + ";"};
    Text += "thread " + std::to_string(T) + " @ " + std::to_string(T) + " {\n";
    for (unsigned S = 0; S < Statements; ++S)
      Text += "  " + Ways[(S + T - 1) % 6] + "\n";
    Text += "}\n";
  }
  return parseLitmus(Text, "bench").Code;
}

/// Threads of one node that write and read three locations in turn.
Program cpuOnly(unsigned Threads, unsigned Statements) {
  std::string Text = "litmus \"bench\"\nnode 1 { x; y; z;";
  for (unsigned T = 0; T < Threads; ++T)
    for (unsigned S = 0; S < Statements; ++S)
      Text += " r" + std::to_string(T) + "_" + std::to_string(S) + ";";
  Text += " }\n";
  const char *Locations[] = {"x", "y", "z"};
  for (unsigned T = 0; T < Threads; ++T) {
    Text += "thread " + std::to_string(T + 1) + " @ 1 {\n";
    for (unsigned S = 0; S < Statements; ++S) {
      std::string Where = Locations[(S + T) % 3];
      Text += S % 2 == 0 ? "  " + Where + " := " + std::to_string(T + 1) + ";\n"
                         : "  r" + std::to_string(T) + "_" + std::to_string(S) + " := " + Where + ";\n";
    }
    Text += "}\n";
  }
  return parseLitmus(Text, "bench").Code;
}

void report(benchmark::State &State, std::uint64_t States) {
  using benchmark::Counter;
  State.counters["states"] = Counter(States, Counter::kAvgIterations);
  State.counters["states/s"] = Counter(States, Counter::kIsRate);
}

void outcomes(benchmark::State &State, const Program &P) {
  std::uint64_t States = 0;
  for (auto _ : State)
    States += explore(P, Model::RdmaTso).States;
  report(State, States);
}

void RemoteOutcomes(benchmark::State &State) { outcomes(State, mixedRemote(State.range(0), State.range(1))); }
void CpuOutcomes(benchmark::State &State) { outcomes(State, cpuOnly(State.range(0), State.range(1))); }

/// Robustness of the programs of the papers: what a property test does all day.
void PapersRobust(benchmark::State &State) {
  std::vector<Program> Programs;
  for (const auto &Entry : std::filesystem::directory_iterator(SOURCE_DIR "/test/litmus"))
    if (Entry.path().extension() == ".litmus")
      Programs.push_back(readLitmus(Entry.path()).Code);
  std::uint64_t States = 0;
  for (auto _ : State)
    for (const Program &P : Programs)
      States += checkRobust(P, Model::RdmaTso).States;
  report(State, States);
  State.counters["programs/s"] =
      benchmark::Counter(Programs.size() * State.iterations(), benchmark::Counter::kIsRate);
}

void sizes(benchmark::internal::Benchmark *B) {
  for (int Threads : {2, 3})
    for (int Statements = 2; Statements <= 5; ++Statements)
      B->Args({Threads, Statements});
  B->Args({2, 6})->Unit(benchmark::kMillisecond);
}

BENCHMARK(RemoteOutcomes)->Apply(sizes);
BENCHMARK(CpuOutcomes)->Apply(sizes);
BENCHMARK(PapersRobust)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
