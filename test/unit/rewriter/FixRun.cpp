// Fixes of random programs at length: fix-run FIRST COUNT
//
// Tries COUNT programs with seeds from FIRST on, the shapes in turn, and prints what they were. Exit status 1
// and the shrunk program for a failure.
#include "FixProperty.h"
#include "Properties.h"

#include <cstdlib>
#include <iostream>

using namespace rdma::test;

int main(int Count, char **Words) {
  const std::vector<Shape> Shapes = {
      {},
      {.FlagPercent = 25, .Choices = true},
      {.MaxThreads = 2, .MaxStatements = 3, .Loops = true},
      {.MaxThreads = 2, .MaxStatements = 6, .Choices = true, .Mixed = true},
      {.MaxThreads = 2, .MaxStatements = 3, .FlagPercent = 15, .Choices = true, .Loops = true, .Mixed = true},
      {.MaxThreads = 2, .MaxStatements = 2, .Locks = true}};
  if (Count != 3) {
    std::cerr << "usage: fix-run FIRST COUNT\n";
    return 2;
  }
  std::uint64_t First = std::strtoull(Words[1], nullptr, 10), Tried = std::strtoull(Words[2], nullptr, 10);
  for (std::uint64_t Seed = First; Seed < First + Tried; ++Seed)
    if (auto Found = search(Seed, 1, Shapes[Seed % Shapes.size()], fixIsSound)) {
      std::cout << "seed " << Found->Seed << ": " << Found->Reason << "\n"
                << Found->Program.text("counterexample");
      return 1;
    }
  std::cout << describe(FixesSeen);
}
