// Random programs of loops as C and C++, judged: generate-loops FIRST COUNT [--style=WAY] [--shape=SHAPE], or
// generate-loops print|shrink SEED [FOLDER]
//
// Prints what is not accepted as it goes, and ends with a table by shape and style: of the programs that are
// robust by the explorer, and of those that are not, what rdma-tidy says. Exit status 1 when it calls one
// robust that is not, refuses one, or crashes. --style and --shape take COUNT programs with this way of some
// aspect, such as goto, or of this shape, such as window, and pass over the others.
#include "LoopCheck.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>

using namespace rdma::test;

namespace {

struct Row {
  unsigned Right[NumJudged] = {}, Wrong[NumJudged] = {};
  void add(bool Robust, Judged J) { ++(Robust ? Right : Wrong)[static_cast<unsigned>(J)]; }
};

void show(const std::string &Name, const Row &R) {
  unsigned Robust = 0, Other = 0, None = 0;
  for (unsigned J = 0; J < NumJudged; ++J) {
    Robust += R.Right[J];
    Other += R.Wrong[J];
    None += J > 2 ? R.Right[J] + R.Wrong[J] : 0;
  }
  std::cout << std::left << std::setw(28) << Name << std::right << std::setw(8) << Robust;
  for (unsigned J = 0; J < 3; ++J)
    std::cout << std::setw(11) << R.Right[J];
  std::cout << std::setw(8) << std::fixed << std::setprecision(1)
            << (Robust ? 100.0 * R.Right[0] / Robust : 100.0) << " % |" << std::setw(10) << Other;
  for (unsigned J : {2, 1, 0})
    std::cout << std::setw(11) << R.Wrong[J];
  std::cout << " |" << std::setw(10) << None << "\n";
}

void showTable(const std::map<std::string, Row> &Table, const Row &All) {
  std::cout << std::left << std::setw(28) << "" << std::right << std::setw(8) << "robust";
  for (const char *Head : {"accepted", "not proved", "warned"})
    std::cout << std::setw(11) << Head;
  std::cout << "           |" << std::setw(10) << "not robust";
  for (const char *Head : {"warned", "not proved", "WRONGLY"})
    std::cout << std::setw(11) << Head;
  std::cout << " |" << std::setw(10) << "no verdict" << "\n";
  for (const auto &[Name, R] : Table)
    show(Name, R);
  show("all", All);
}

std::string describe(const LoopCase &C) {
  return C.Code.Shape + (C.Code.Mistake.empty() ? "" : " (" + C.Code.Mistake + ")") + ": " +
         C.Written.describe(loopAspects());
}

int run(std::uint64_t First, std::uint64_t Count, const std::string &Way, const std::string &Shape) {
  std::map<std::string, Row> Table;
  Row All;
  unsigned Failures = 0;
  for (std::uint64_t Seed = First, Seen = 0; Seen < Count; ++Seed) {
    LoopCase C = makeLoops(Seed);
    if (!C.Written.has(Way, loopAspects()) || (!Shape.empty() && C.Code.Shape != Shape))
      continue;
    ++Seen;
    LoopVerdict V = judge(C);
    const bool Robust = *C.Truth.Robust;
    All.add(Robust, V.What);
    Table["shape " + C.Code.Shape].add(Robust, V.What);
    for (Aspect A : loopAspects())
      Table[std::string(name(A)) + " " + std::string(C.Written[A])].add(Robust, V.What);
    if (V.What != Judged::Accepted && (Robust || V.What > Judged::Warned))
      std::cerr << Seed << " " << name(V.What) << ": " << describe(C) << V.Why << std::endl;
    if (!isWrong(C, V))
      continue;
    if (++Failures <= 3) {
      const LoopCase Small = V.What == Judged::Crashed ? C : shrink(C, V);
      std::cout << "seed " << Seed << ": " << name(V.What) << (Robust ? "" : ", and not robust") << ": "
                << judge(Small).Why << "\n"
                << print(Small) << std::endl;
    }
  }
  showTable(Table, All);
  return Failures != 0;
}

int printOne(std::uint64_t Seed, bool Small, const char *Folder) {
  LoopCase C = makeLoops(Seed);
  const LoopVerdict V = judge(C);
  if (Small)
    C = shrink(C, V);
  std::cout << "seed " << Seed << ": " << name(V.What) << (*C.Truth.Robust ? ", robust" : ", not robust")
            << V.Why << "\n"
            << print(C);
  if (!Folder)
    return 0;
  std::filesystem::create_directories(Folder);
  Sources S = writeLoops(C.Code, C.Written, C.Seed);
  if (!S.Topology.empty())
    S.Texts["topology.json"] = S.Topology;
  for (const auto &[File, Text] : S.Texts)
    std::ofstream(std::filesystem::path(Folder) / File) << Text;
  return 0;
}

} // namespace

int main(int Count, char **Words) {
  const std::string First = Count > 1 ? Words[1] : "";
  auto numberAt = [&](int I) { return std::strtoull(Words[I], nullptr, 10); };
  if (Count >= 3 && Count <= 4 && (First == "print" || First == "shrink"))
    return printOne(numberAt(2), First == "shrink", Count == 4 ? Words[3] : nullptr);
  bool Good = Count >= 3;
  std::string Way, Shape;
  for (int I = 3; I < Count; ++I)
    if (const std::string Word = Words[I]; Word.starts_with("--style="))
      Way = Word.substr(8);
    else if (Word.starts_with("--shape="))
      Shape = Word.substr(8);
    else
      Good = false;
  if (Good && isWay(Way, loopAspects()))
    return run(numberAt(1), numberAt(2), Way, Shape);
  std::cerr << "usage: generate-loops FIRST COUNT [--style=WAY] [--shape=SHAPE]\n"
               "       generate-loops print|shrink SEED [FOLDER]\n";
  return 2;
}
