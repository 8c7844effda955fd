// Random litmus programs as C and C++, extracted again: generate-run FIRST COUNT [--quiet] [--style=WAY], or
// generate-run print SEED [FOLDER], or generate-run drive SEED FOLDER: printed so that it can be run
//
// --quiet ends with the first failure and says no more than its seed. --style takes COUNT programs of a style
// with this way of some aspect, such as vector, and passes over the others. Exit status 1 when extraction
// calls a program robust that is not, or a straight-line program gets another verdict than its litmus program
// in a style for which that is promised (Style.cpp).
#include "Check.h"
#include "Driver.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

using namespace rdma::test;

namespace {

struct Row {
  unsigned Programs = 0, Litmus = 0, Extracted = 0, Straight = 0;
  unsigned Wrongs[6] = {};
};

void add(Row &R, const Case &C, const Compared &Found) {
  ++R.Programs;
  R.Litmus += Found.Litmus;
  R.Extracted += Found.Extracted;
  R.Straight += C.Straight;
  ++R.Wrongs[static_cast<unsigned>(Found.What)];
}

void show(const std::string &Name, const Row &R) {
  std::cout << std::left << std::setw(28) << Name << std::right;
  for (unsigned N : {R.Programs, R.Litmus, R.Extracted, R.Straight, R.Wrongs[1], R.Wrongs[2], R.Wrongs[3],
                     R.Wrongs[4], R.Wrongs[5]})
    std::cout << std::setw(10) << N;
  std::cout << "\n";
}

void showTable(const std::vector<std::vector<Row>> &Table, const Row &All) {
  std::cout << std::left << std::setw(28) << "" << std::right;
  for (const char *Head : {"programs", "litmus", "extracted", "straight", "unsound", "different", "emitted",
                           "refused", "crashed"})
    std::cout << std::setw(10) << Head;
  std::cout << "\n";
  for (Aspect A : litmusAspects())
    for (std::size_t W = 0; W < ways(A).size(); ++W)
      show(std::string(name(A)) + " " + std::string(ways(A)[W].Name) + (ways(A)[W].Exact ? "" : " (inexact)"),
           Table[static_cast<unsigned>(A)][W]);
  show("all", All);
}

int run(std::uint64_t First, std::uint64_t Count, bool Quiet, const std::string &Way) {
  std::vector<std::vector<Row>> Table;
  for (unsigned A = 0; A < NumAspects; ++A)
    Table.emplace_back(ways(static_cast<Aspect>(A)).size());
  Row All;
  unsigned Failures = 0, Shown[6] = {};
  for (std::uint64_t Seed = First; All.Programs < Count; ++Seed) {
    Case C = makeCase(Seed);
    if (!C.Written.has(Way, litmusAspects()))
      continue;
    Compared Found = compare(C);
    add(All, C, Found);
    for (unsigned A = 0; A < NumAspects; ++A)
      add(Table[A][C.Written.Chosen[A]], C, Found);
    if (Found.What != Wrong::No)
      std::cerr << Seed << " " << name(Found.What) << ": " << C.Written.describe(litmusAspects()) << ": "
                << Found.Why << "\n";
    if (Found.What == Wrong::No || (Found.What != Wrong::Unsound && !C.Written.exact()))
      continue;
    ++Failures;
    if (Quiet) {
      std::cout << "seed " << Seed << ": " << name(Found.What) << "\n";
      return 1;
    }
    if (++Shown[static_cast<unsigned>(Found.What)] > 3)
      continue;
    Case Small = Found.What == Wrong::Crashed ? C : shrink(C, Found.What);
    std::cout << "seed " << Seed << ": " << name(Found.What) << ": " << compare(Small).Why << "\n"
              << print(Small) << std::endl;
  }
  showTable(Table, All);
  return Failures != 0;
}

/// Only the stacks of threads that the driver starts can be sent from.
void makeDrivable(Style &S) {
  if (S[Aspect::Threads] == "std::thread" && S[Aspect::Literals] == "local")
    S.set(Aspect::Literals, "static");
}

int printOne(std::uint64_t Seed, const char *Folder, bool Drives) {
  Case C = makeCase(Seed);
  if (Drives)
    makeDrivable(C.Written);
  Compared Found = Drives ? Compared() : compare(C);
  if (Found.What != Wrong::No && Found.What != Wrong::Crashed)
    C = shrink(C, Found.What);
  std::cout << "seed " << Seed << ": " << name(Found.What) << ": " << Found.Why << "\n" << print(C);
  if (!Folder)
    return 0;
  std::filesystem::create_directories(Folder);
  rdma::Program Litmus = inVerbs(C.Litmus, C.Seed);
  Sources S = writeSources(Litmus, C.Written, C.Seed);
  S.Texts["topology.json"] = S.Topology;
  if (Drives) {
    S.Texts["glue" + std::string(C.Written.cpp() ? ".cxx" : ".inc")] = writeGlue(Litmus, C.Written, S);
    S.Texts["outcomes"] = sequentialOutcomes(Litmus, C.Written);
  }
  for (const auto &[File, Text] : S.Texts)
    std::ofstream(std::filesystem::path(Folder) / File) << Text;
  return 0;
}

} // namespace

int main(int Count, char **Words) {
  bool Drives = Count == 4 && std::strcmp(Words[1], "drive") == 0;
  if (Drives || (Count >= 3 && Count <= 4 && std::strcmp(Words[1], "print") == 0))
    return printOne(std::strtoull(Words[2], nullptr, 10), Count == 4 ? Words[3] : nullptr, Drives);
  bool Quiet = false, Good = Count >= 3;
  std::string Way;
  for (int I = 3; I < Count; ++I)
    if (std::strcmp(Words[I], "--quiet") == 0)
      Quiet = true;
    else if (std::strncmp(Words[I], "--style=", 8) == 0)
      Way = Words[I] + 8;
    else
      Good = false;
  if (Good && isWay(Way, litmusAspects()))
    return run(std::strtoull(Words[1], nullptr, 10), std::strtoull(Words[2], nullptr, 10), Quiet, Way);
  std::cerr
      << "usage: generate-run FIRST COUNT [--quiet] [--style=WAY]\n       generate-run print SEED [FOLDER]\n"
         "       generate-run drive SEED FOLDER\n";
  return 2;
}
