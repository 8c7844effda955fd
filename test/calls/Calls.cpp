// What the table of calls says, held against programs: calls FILE... [--line=N]
//
// A list (library.calls, ...) names headers and flags in a line of its own, -x c++ before them for C++, and
// below it calls:
//
//   EFFECT CALL           as in `writes strcpy(buf, text)`
//   EFFECT SYMBOL: CALL   where the symbol is not the first word of the call
//
// EFFECT is a program in Inputs, EFFECT.c, in which the call stands as CALL. As it is, it must not be called
// robust; with -DBESIDE it must be, without a warning. What else can be asked of an effect is in the table
// below. Every row of the extraction's table must be in one of its lists (LIST.calls for rowsOfLIST). Prints
// what is wrong; exit status 1 when anything is. --line: only the call in this line, and the lists need not
// be complete.
#include "analyzer/clang/Extract.h"
#include "analyzer/clang/api/ApiRows.h"
#include "analyzer/core/Reasons.h"
#include "analyzer/report/Explain.h"
#include "ir/Litmus.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

using namespace rdma;
namespace fs = std::filesystem;

namespace {

struct Effect {
  std::string_view Name;
  bool Broken, Sound; ///< what is asked: not robust as it is; robust with -DBESIDE
};

constexpr Effect Effects[] = {
    {"writes", true, true},   {"reads", true, true},    {"looks", true, true},      {"keeps", true, true},
    {"frees", true, true},    {"within", true, true},   {"allocates", true, true},  {"foreign", true, true},
    {"nothing", false, true}, {"ends", false, true},    {"withholds", true, false}, {"posts", true, false},
    {"builds", true, true},   {"omits", true, false},   {"inlines", true, true},    {"polls", false, true},
    {"awaits", true, true},   {"quiet", false, true},   {"sends", true, true},      {"receives", true, true},
    {"fence", false, true},   {"buffers", true, false}, {"orders", true, true},
};

struct Line {
  std::string File;
  unsigned Number = 0;
  bool Cxx = false;
  std::vector<std::string> Headers, Flags;
  std::string Effect, Symbol, Call;
  std::string place() const { return File + ":" + std::to_string(Number); }
};

bool isSymbol(char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; }

/// "EFFECT CALL" or "EFFECT SYMBOL: CALL", without the spaces before it.
void readCall(const std::string &Text, Line &Into) {
  std::size_t Space = Text.find(' ');
  Into.Effect = Text.substr(0, Space);
  Into.Call = Space == std::string::npos ? "" : Text.substr(Space + 1);
  std::size_t End = 0;
  while (End < Into.Call.size() && isSymbol(Into.Call[End]))
    ++End;
  Into.Symbol = Into.Call.substr(0, End);
  if (Into.Call.compare(End, 2, ": ") == 0)
    Into.Call.erase(0, End + 2);
}

std::vector<Line> readList(const fs::path &File) {
  std::vector<Line> Lines;
  std::ifstream In(File);
  Line Now{File.filename(), 0, false, {}, {}, "", "", ""};
  for (std::string Text; std::getline(In, Text);) {
    ++Now.Number;
    if (Text.empty() || Text[0] == '#')
      continue;
    if (Text.starts_with("  ")) {
      readCall(Text.substr(2), Now);
      Lines.push_back(Now);
      continue;
    }
    Now.Cxx = Text.starts_with("-x c++ ");
    std::istringstream Words(Now.Cxx ? Text.substr(7) : Text);
    Now.Headers.clear();
    Now.Flags.clear();
    for (std::string Word; Words >> Word;)
      (Word[0] == '-' ? Now.Flags : Now.Headers).push_back(Word);
  }
  return Lines;
}

std::string sourceOf(const Line &L) {
  std::string Text;
  for (const std::string &Header : L.Headers)
    Text += "#include <" + Header + ">\n";
  return Text + "#define CALL " + L.Call + "\n#include \"test/calls/Inputs/" + L.Effect + ".c\"\n";
}

ExtractionOptions options(const Line &L, bool Beside) {
  ExtractionOptions O;
  std::string File = std::string(CALLS_FOLDER) + (L.Cxx ? "/call.cpp" : "/call.c");
  O.Files = {File};
  // Two headers of packages that are not asked for.
  O.Overlay = {{File, sourceOf(L)},
               {"/usr/include/numa.h", "int numa_available(void);\n"},
               {"/usr/include/libaio.h", "struct iocb;\nint io_submit(void *, long, struct iocb **);\n"}};
  O.TopologyFile = CALLS_FOLDER "/calls.json";
  O.HasFlags = O.ShareHeaders = true;
  O.Flags = {"-D_GNU_SOURCE",
             "-D_LARGEFILE64_SOURCE",
             "-O1",
             "-I" SOURCE_DIR,
             "-I" SOURCE_DIR "/runtime/include",
             "-w"};
  O.Flags.insert(O.Flags.end(), L.Flags.begin(), L.Flags.end());
  if (Beside)
    O.Flags.push_back("-DBESIDE");
  return O;
}

/// What keeps the program from being robust, in words; empty: nothing.
std::string judged(const Line &L, bool Beside) {
  Program P = extract(options(L, Beside)).Code;
  Verdict V = judge(P, Model::RdmaTso);
  std::string Remark;
  for (const Finding &F : explain(P, V)) {
    if (F.Level == Severity::Warning)
      return "warning: " + F.Main.Text;
    Remark = Remark.empty() ? F.Main.Text : Remark;
  }
  return summarize(P, V, Model::RdmaTso).Robust ? "" : "not robust: " + Remark;
}

/// What is wrong, in words; empty: nothing.
std::string wrong(const Line &L) {
  const Effect *Asked = nullptr;
  for (const Effect &E : Effects)
    if (E.Name == L.Effect)
      Asked = &E;
  if (!Asked)
    return "there is no effect '" + L.Effect + "'";
  try {
    if (Asked->Broken && judged(L, false).empty())
      return "called robust";
    return Asked->Sound ? judged(L, true) : "";
  } catch (const InputError &E) {
    return E.what();
  }
}

std::span<const clang_ir::ApiRow> rowsOf(const std::string &List) {
  if (List == "verbs.calls")
    return clang_ir::rowsOfVerbs();
  if (List == "thread.calls")
    return clang_ir::rowsOfThread();
  if (List == "stream.calls")
    return clang_ir::rowsOfStreams();
  return List == "system.calls" ? clang_ir::rowsOfSystem() : clang_ir::rowsOfLibrary();
}

} // namespace

int main(int Count, char **Words) {
  unsigned Only = 0, Wrong = 0, Calls = 0;
  std::vector<fs::path> Lists;
  for (std::string Word : std::vector<std::string>(Words + 1, Words + Count))
    if (Word.starts_with("--line="))
      Only = std::stoul(Word.substr(7));
    else
      Lists.push_back(Word);
  auto say = [&](const std::string &Text) {
    std::cout << Text << std::endl;
    ++Wrong;
  };
  for (const fs::path &List : Lists) {
    std::set<std::string> Symbols;
    for (const Line &L : readList(List)) {
      Symbols.insert(L.Symbol);
      if (Only && L.Number != Only)
        continue;
      ++Calls;
      if (std::string Text = wrong(L); !Text.empty())
        say(L.place() + ": " + L.Effect + " " + L.Call + ": " + Text);
    }
    for (const clang_ir::ApiRow &Row : rowsOf(List.filename()))
      if (!Only && !Symbols.count(std::string(Row.Name)))
        say(List.filename().string() + ": no call of " + std::string(Row.Name));
  }
  std::cout << Calls << " calls, " << Wrong << " wrong\n";
  return Calls == 0 || Wrong != 0;
}
