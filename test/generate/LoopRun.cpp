// Random programs of loops as C and C++, judged: generate-loops FIRST COUNT [--style=WAY] [--shape=SHAPE]
// [--plain], or generate-loops print|shrink SEED [FOLDER] [--plain]
//
// Prints what is not accepted as it goes, and ends with a table by shape and style: of the programs that are
// robust by the explorer, and of those that are not, what rdma-tidy says. Exit status 1 when it calls one
// robust that is not, refuses one, or crashes. --style and --shape take COUNT programs with this way of some
// aspect, such as goto, or of this shape, such as window, and pass over the others. --plain: all in the first
// way of each aspect.
#include "LoopCheck.h"

#include <cstdlib>
#include <cstring>
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

struct Wanted {
  std::string Way, Shape;
  bool Plain = false;
};

int run(std::uint64_t First, std::uint64_t Count, const Wanted &W) {
  std::map<std::string, Row> Table;
  Row All;
  unsigned Failures = 0;
  for (std::uint64_t Seed = First, Seen = 0; Seen < Count; ++Seed) {
    LoopCase C = makeLoops(Seed, W.Plain);
    if (!C.Written.has(W.Way, loopAspects()) || (!W.Shape.empty() && C.Code.Shape != W.Shape))
      continue;
    ++Seen;
    LoopVerdict V = judge(C);
    const bool Robust = *C.Truth.Robust;
    All.add(Robust, V.What);
    Table["shape " + C.Code.Shape].add(Robust, V.What);
    Table[C.Code.Mistake.empty() ? "drawn right" : "drawn with a mistake"].add(Robust, V.What);
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

int printOne(std::uint64_t Seed, bool Small, bool Plain, const char *Folder) {
  LoopCase C = makeLoops(Seed, Plain);
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
  std::vector<std::string> All(Words + 1, Words + Count);
  Wanted W;
  W.Plain = std::erase(All, "--plain") != 0;
  for (auto [Option, To] : {std::pair("--style=", &W.Way), {"--shape=", &W.Shape}})
    for (const std::string &Word : All)
      if (Word.starts_with(Option))
        *To = Word.substr(std::strlen(Option));
  std::erase_if(All, [](const std::string &Word) { return Word.starts_with("--s"); });
  auto numberAt = [&](unsigned I) { return std::strtoull(All[I].c_str(), nullptr, 10); };
  const bool One = !All.empty() && (All[0] == "print" || All[0] == "shrink");
  if (One && (All.size() == 2 || All.size() == 3))
    return printOne(numberAt(1), All[0] == "shrink", W.Plain, All.size() == 3 ? All[2].c_str() : nullptr);
  if (!One && All.size() == 2 && isWay(W.Way, loopAspects()))
    return run(numberAt(0), numberAt(1), W);
  std::cerr << "usage: generate-loops FIRST COUNT [--style=WAY] [--shape=SHAPE] [--plain]\n"
               "       generate-loops print|shrink SEED [FOLDER] [--plain]\n";
  return 2;
}
