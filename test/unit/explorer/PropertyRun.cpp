// The properties of random programs at length: property-run PROPERTY FIRST COUNT
//
// Tries COUNT programs with seeds from FIRST on, the shapes in turn, and prints what they were. Exit status 1
// and the shrunk program for a failure. The unit tests run a share of the same.
#include "Properties.h"

#include <cstdlib>
#include <cstring>
#include <iostream>

using namespace rdma::test;

namespace {

struct Run {
  const char *Name;
  std::vector<Shape> Shapes;
  Property Holds;
};

const std::vector<Run> Runs = {
    {"engines",
     {{.MaxThreads = 2, .MaxStatements = 3},
      {.MaxThreads = 2, .MaxStatements = 3, .FlagPercent = 25},
      {.MinThreads = 3, .MaxThreads = 3, .MaxStatements = 2},
      {.MaxThreads = 2, .MaxStatements = 3, .Choices = true},
      {.MaxThreads = 2, .MaxStatements = 4, .Mixed = true},
      {.MaxThreads = 2, .MaxStatements = 4, .Pairs = true},
      {.MaxThreads = 2, .MaxStatements = 4, .Mixed = true, .Pairs = true}},
     enginesAgree},
    {"loops",
     {{.MaxThreads = 2, .MaxStatements = 2, .Loops = true},
      {.MaxThreads = 3, .MaxStatements = 2, .FlagPercent = 25, .Loops = true},
      {.MaxThreads = 2, .MaxStatements = 3, .Choices = true, .Loops = true, .Mixed = true},
      {.MaxThreads = 2, .MaxStatements = 3, .Loops = true, .Pairs = true}},
     [](const RandomProgram &P) { return enginesAgreeOnLoops(P, 2); }},
    {"conditions",
     {{},
      {.MaxThreads = 2, .MaxStatements = 2, .Turns = true},
      {.MaxStatements = 3, .Choices = true, .Turns = true},
      {.MaxStatements = 6},
      {.FlagPercent = 25, .Choices = true},
      {.MaxThreads = 2, .MaxStatements = 6, .Choices = true, .Mixed = true},
      {.MaxThreads = 2, .MaxStatements = 3, .Choices = true, .Loops = true, .Mixed = true},
      {.MaxThreads = 2, .MaxStatements = 2, .Locks = true},
      {.Choices = true, .Handshakes = true},
      {.MaxStatements = 5, .Choices = true, .Sections = true},
      {.MaxThreads = 2, .MaxStatements = 4, .Loops = true, .Sections = true},
      {.Pairs = true},
      {.MaxThreads = 2, .MaxStatements = 6, .Choices = true, .Pairs = true},
      {.MaxThreads = 2, .MaxStatements = 5, .Loops = true, .Mixed = true, .Pairs = true}},
     conditionsAreSound},
    {"copies",
     {{.MinThreads = 1, .MaxThreads = 1, .MaxStatements = 3},
      {.MinThreads = 1, .MaxThreads = 1, .MaxStatements = 4, .Pairs = true},
      {.MinThreads = 2, .MaxThreads = 2, .MaxStatements = 2}},
     copiesAreSound},
};

int usage() {
  std::cerr << "usage: property-run engines|loops|conditions|copies FIRST COUNT\n";
  return 2;
}

int run(const Run &R, std::uint64_t First, std::uint64_t Count) {
  for (std::uint64_t Seed = First; Seed < First + Count; ++Seed)
    if (auto Found = search(Seed, 1, R.Shapes[Seed % R.Shapes.size()], R.Holds)) {
      std::cout << "seed " << Found->Seed << ": " << Found->Reason << "\n"
                << Found->Program.text("counterexample");
      return 1;
    }
  std::cout << R.Name << ": " << Count << " programs, seeds " << First << " to " << First + Count - 1 << "\n"
            << describe(Seen);
  return 0;
}

} // namespace

int main(int Count, char **Words) {
  if (Count != 4)
    return usage();
  for (const Run &R : Runs)
    if (std::strcmp(R.Name, Words[1]) == 0)
      return run(R, std::strtoull(Words[2], nullptr, 10), std::strtoull(Words[3], nullptr, 10));
  return usage();
}
