// The race grid: pairs of programs, one with a race and one without.
// race-grid FOLDER [--first] [--set-up=static|stack|heap] [--every=N[+FROM]] [WORD...]
//
// NAME-yes.c must not be called robust. NAME-no.c must be, without a warning and without a remark; a line
// `// REMARK: TEXT` in it says that a remark with this text is due, and then it need not be called robust.
// Both models. NAME.json is the topology, else the one beside a header that the program includes; NAME.flags
// has further compiler flags, and NAME-yes-other.c beside NAME-yes.c is a second file: then both orders are
// tried. What --emit-ir prints of a program must get the verdict of each condition that the program itself
// gets, and be *not proved* where it is. A remark that withholds *robust* names a place and what to do. WORD:
// only pairs whose name contains one of the words, and the one program NAME-yes or NAME-no. --every: each
// N-th of these.
//
// --set-up: a main of set-up.h comes behind each program that leaves its set-up to others, with the link in a
// variable, on the stack or on the heap; `// SET-UP: elsewhere` says that there would be no race then.
//
// Prints what is wrong and a table; exit status 1 when anything is. --first: ends with the first that is
// wrong.
#include "analyzer/clang/Extract.h"
#include "analyzer/core/Reasons.h"
#include "analyzer/report/Explain.h"
#include "ir/Litmus.h"
#include "test/generate/Apart.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

using namespace rdma;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path &File) {
  std::stringstream Text;
  Text << std::ifstream(File).rdbuf();
  return Text.str();
}

struct Case {
  fs::path File;
  bool Race;              ///< ...-yes
  std::string SetUp = {}; ///< what comes behind it
  std::string name() const { return File.stem().string().substr(0, File.stem().string().rfind('-')); }
  fs::path beside(const std::string &Name) const { return File.parent_path() / Name; }
};

std::vector<std::string> dueRemarks(const Case &C) {
  std::vector<std::string> Due;
  std::istringstream Lines(read(C.File));
  const std::string Mark = "// REMARK: ";
  for (std::string Line; std::getline(Lines, Line);)
    if (Line.starts_with(Mark))
      Due.push_back(Line.substr(Mark.size()));
  return Due;
}

fs::path topologyOf(const Case &C) {
  if (fs::path Own = C.beside(C.name() + ".json"); fs::exists(Own))
    return Own;
  const std::string Text = read(C.File);
  const std::string Mark = "#include \"";
  for (std::size_t At = Text.find(Mark); At != std::string::npos; At = Text.find(Mark, At + 1)) {
    const std::size_t Begin = At + Mark.size();
    const fs::path Header = Text.substr(Begin, Text.find('"', Begin) - Begin);
    if (fs::path Beside = C.beside(Header.stem().string() + ".json"); fs::exists(Beside))
      return Beside;
  }
  return C.beside("grid.json");
}

ExtractionOptions options(const Case &C, const std::vector<fs::path> &Files) {
  ExtractionOptions O;
  for (const fs::path &F : Files)
    O.Files.push_back(F);
  O.TopologyFile = topologyOf(C);
  if (!C.SetUp.empty())
    O.Overlay[C.File] = read(C.File) + C.SetUp;
  O.HasFlags = true;
  O.Flags = {"-I" GRID_FOLDER};
  std::istringstream Words(read(C.beside(C.name() + ".flags")));
  for (std::string Word; Words >> Word;)
    O.Flags.push_back(Word);
  return O;
}

std::string emittedDiffers(const Program &P, const Verdict &V, Model M) {
  Program Code = parseLitmus(writeLitmus(P), "emitted").Code;
  Verdict Again = judge(Code, M);
  for (auto [Name, Here, There] : {std::tuple("ldrf", V.Ldrf, Again.Ldrf),
                                   {"atomics", V.Atomics, Again.Atomics},
                                   {"fenced", V.Fenced, Again.Fenced},
                                   {"cycles", V.Cycles, Again.Cycles},
                                   {"tree-fenced", V.TreeFenced, Again.TreeFenced}})
    if (Here != There)
      return std::string("--emit-ir changes ") + Name;
  Standing Here = standing(summarize(P, V, M)), There = standing(summarize(Code, Again, M));
  return Here == There ? "" : "--emit-ir makes " + std::string(name(Here)) + " " + std::string(name(There));
}

std::string notClean(const std::vector<Finding> &Findings, bool Robust, std::vector<std::string> Due) {
  bool None = Due.empty();
  std::vector<std::string> Missing = Due;
  for (const Finding &F : Findings) {
    auto says = [&](const std::string &Text) { return F.Main.Text.find(Text) != std::string::npos; };
    if (F.Level == Severity::Warning)
      return "warning: " + F.Main.Text;
    if (F.Check == "rdma-fenced-strict")
      continue;
    if (std::none_of(Due.begin(), Due.end(), says))
      return "remark: " + F.Main.Text;
    std::erase_if(Missing, says);
  }
  if (!Missing.empty())
    return "no remark '" + Missing.front() + "'";
  return Robust || !None ? "" : "not called robust";
}

/// What withholds *robust* names a place that is there, and says what to do.
std::string badRemark(const Program &P) {
  for (const Remark &R : P.Remarks) {
    if (R.Covered)
      continue;
    if (R.Text.text().find(": ") == std::string::npos)
      return "does not say what to do: " + R.Text.text();
    if (R.Text.text().starts_with("nothing to say"))
      continue;
    if (!R.Where.known())
      return "names no place: " + R.Text.text();
    for (const Place &At : R.Where.Chain)
      if (!fs::exists(At.File))
        return "names a file that is not there, " + At.File + ": " + R.Text.text();
  }
  return "";
}

/// What is wrong with the analysis of the files, in words; empty: nothing.
std::string wrong(const Case &C, const std::vector<fs::path> &Files) {
  try {
    Program P = extract(options(C, Files)).Code;
    if (std::string Text = badRemark(P); !Text.empty())
      return "a remark " + Text;
    for (Model M : {Model::RdmaTso, Model::RdmaSc}) {
      Verdict V = judge(P, M);
      bool Robust = summarize(P, V, M).Robust;
      if (C.Race && M == Model::RdmaTso && Robust)
        return "called robust";
      if (!C.Race)
        if (std::string Text = notClean(explain(P, V), Robust, dueRemarks(C)); !Text.empty())
          return Text;
      if (std::string Text = emittedDiffers(P, V, M); !Text.empty())
        return Text;
    }
    return "";
  } catch (const InputError &E) {
    return E.what();
  }
}

std::string check(const Case &C) {
  fs::path Other = C.beside(C.File.stem().string() + "-other" + C.File.extension().string());
  std::vector<std::vector<fs::path>> Orders = {{C.File}};
  if (fs::exists(Other))
    Orders = {{C.File, Other}, {Other, C.File}};
  for (const auto &Files : Orders) {
    auto Told = test::apart([&] { return wrong(C, Files); }, 120);
    if (!Told || !Told->empty())
      return Told.value_or("a crash, or no end");
  }
  return "";
}

/// A main that makes all that the program's entry is given; empty: it has its own, or needs more.
std::string setUpFor(const Case &C, const std::string &Holder) {
  const std::string Text = read(C.File);
  static const std::regex Entry(
      R"(\n(?:extern "C" )?void run\((?:struct )?link \*\w+((?:, (?:int|unsigned|size_t|uint32_t|uint64_t|long) \w+)*)\) \{)");
  std::smatch Found;
  for (const char *Own : {"main(", "OWN_SERVER", "// SET-UP: elsewhere"})
    if (Text.find(Own) != std::string::npos)
      return "";
  if (Text.find("#include \"grid.h\"") == std::string::npos || topologyOf(C) != C.beside("grid.json") ||
      fs::exists(C.beside(C.File.stem().string() + "-other" + C.File.extension().string())) ||
      !std::regex_search(Text, Found, Entry))
    return "";
  std::string Call = "run(p";
  for (char Letter : Found[1].str())
    Call += Letter == ',' ? ", atoi(argv[0])" : "";
  return "\n#define " + Holder + "_LINK\n#define CALL " + Call + ")\n#include \"set-up.h\"\n";
}

std::vector<Case> cases(const fs::path &Folder, const std::vector<std::string> &Words) {
  std::vector<Case> All;
  for (const fs::directory_entry &E : fs::directory_iterator(Folder)) {
    std::string Stem = E.path().stem().string(), Extension = E.path().extension().string();
    const std::string Name = Stem.substr(0, Stem.rfind('-'));
    bool Wanted = Words.empty() || std::any_of(Words.begin(), Words.end(), [&](const std::string &W) {
                    return Stem == W || Name.find(W) != std::string::npos;
                  });
    if (Wanted && (Extension == ".c" || Extension == ".cpp") &&
        (Stem.ends_with("-yes") || Stem.ends_with("-no")))
      All.push_back({E.path(), Stem.ends_with("-yes")});
  }
  std::sort(All.begin(), All.end(), [](const Case &A, const Case &B) { return A.File < B.File; });
  return All;
}

/// What stands behind `--name=`, which is taken out of the words.
std::string option(std::vector<std::string> &Words, const std::string &Name) {
  auto At =
      std::find_if(Words.begin(), Words.end(), [&](const std::string &W) { return W.starts_with(Name); });
  if (At == Words.end())
    return "";
  const std::string Value = At->substr(Name.size());
  Words.erase(At);
  return Value;
}

/// Every: N, or N+FROM; empty: all of them.
std::vector<Case> share(std::vector<Case> All, const std::string &Every) {
  if (Every.empty())
    return All;
  const std::size_t Step = std::max(1, std::stoi(Every)), Plus = Every.find('+');
  std::vector<Case> Some;
  for (std::size_t I = Plus == std::string::npos ? 0 : std::stoul(Every.substr(Plus + 1)); I < All.size();
       I += Step)
    Some.push_back(All[I]);
  return Some;
}

} // namespace

int main(int Count, char **Words) {
  if (Count < 2) {
    std::cerr
        << "usage: race-grid FOLDER [--first] [--set-up=static|stack|heap] [--every=N[+FROM]] [WORD...]\n";
    return 2;
  }
  unsigned Programs[2] = {}, Right[2] = {};
  std::vector<std::string> Wanted(Words + 2, Words + Count);
  bool First = std::erase(Wanted, "--first") != 0;
  const std::string Holder = option(Wanted, "--set-up="), Every = option(Wanted, "--every=");
  std::vector<Case> All = cases(Words[1], Wanted);
  if (!Holder.empty()) {
    for (Case &C : All)
      C.SetUp = setUpFor(C, Holder);
    std::erase_if(All, [](const Case &C) { return C.SetUp.empty(); });
  }
  for (const Case &C : share(std::move(All), Every)) {
    fs::path Twin = C.beside(C.name() + (C.Race ? "-no" : "-yes") + C.File.extension().string());
    std::string Text = fs::exists(Twin) ? check(C) : "no twin";
    ++Programs[C.Race];
    Right[C.Race] += Text.empty();
    if (!Text.empty())
      std::cout << C.File.filename().string() << ": " << Text << std::endl;
    if (!Text.empty() && First)
      return 1;
  }
  std::cout << "with a race: " << Programs[1] << " programs, " << Right[1] << " not called robust\n"
            << "without one: " << Programs[0] << " programs, " << Right[0] << " as they should be\n";
  return Programs[0] + Programs[1] == 0 || Right[0] != Programs[0] || Right[1] != Programs[1];
}
