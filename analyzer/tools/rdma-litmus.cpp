// rdma-litmus: what small RDMA programs can do, by trying everything.
#include "analyzer/diagram/Svg.h"
#include "analyzer/explorer/Compiled.h"
#include "analyzer/explorer/Concrete.h"
#include "analyzer/tools/LitmusCheck.h"
#include "analyzer/tools/Options.h"
#include "analyzer/tools/WitnessFormats.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <getopt.h>
#include <iostream>

using namespace rdma;

namespace {

struct LitmusOptions {
  std::string Command;
  std::vector<std::string> Files;
  Model CpuModel = Model::RdmaTso;
  bool Json = false, Dot = false, Svg = false;
  std::vector<std::string> Given; ///< options by name
  explorer::Limits Limits = {.Timeout = std::chrono::seconds(60)};
};

constexpr const char *Help =
    R"(usage: rdma-litmus check FILE...
       rdma-litmus outcomes [--model=…] [--format=text|json] FILE
       rdma-litmus robust [--model=…] [--dot|--svg] FILE
runs small RDMA programs in every possible way

  --model=…         sc, rdma-sc or rdma-tso (the default)
  --format=…        text (the default) or json
  --dot             robust: the weak execution as a Graphviz picture
  --svg             robust: the weak execution as a space-time diagram
  --timeout=SECONDS stop looking after this time; the answer is then 'unknown' (60; 0: never)
  --unroll=N        loops: how many operations more than a thread has statements may be on the way (4)

exit status: 0 all assertions hold, or robust; 1 not so, or not known; 2 bad input or usage
)";

Model modelOption(const std::string &Name) {
  if (auto M = modelNamed(Name))
    return *M;
  throw UsageError("no model '" + Name + "'; there are sc, rdma-sc and rdma-tso");
}

void setOption(LitmusOptions &O, const std::string &Name, const std::string &Value) {
  if (Name == "model")
    O.CpuModel = modelOption(Value);
  else if (Name == "timeout")
    O.Limits.Timeout = timeOption(Name, Value);
  else if (Name == "unroll")
    O.Limits.Unroll = numberOption(Name, Value);
  else if (Name == "dot")
    O.Dot = true;
  else if (Name == "svg")
    O.Svg = true;
  else if (Value == "json" || Value == "text")
    O.Json = Value == "json";
  else
    throw UsageError("no format '" + Value + "'; there are text and json");
}

bool goesWith(const std::string &Option, const std::string &Command) {
  if (Option == "model")
    return Command != "check"; // an assertion names its own
  if (Option == "format")
    return Command == "outcomes";
  return (Option != "dot" && Option != "svg") || Command == "robust";
}

LitmusOptions parse(int Argc, char **Argv) {
  const option Long[] = {{"model", required_argument, nullptr, 0},
                         {"format", required_argument, nullptr, 0},
                         {"timeout", required_argument, nullptr, 0},
                         {"unroll", required_argument, nullptr, 0},
                         {"dot", no_argument, nullptr, 0},
                         {"svg", no_argument, nullptr, 0},
                         {"help", no_argument, nullptr, 'h'},
                         {"version", no_argument, nullptr, 'v'},
                         {nullptr, 0, nullptr, 0}};
  LitmusOptions O;
  opterr = 0;
  int Index = 0;
  for (int Code; (Code = getopt_long(Argc, Argv, "h", Long, &Index)) != -1;) {
    if (Code == 0) {
      setOption(O, Long[Index].name, optarg ? optarg : "");
      O.Given.push_back(Long[Index].name);
    } else if (Code == 'h')
      std::cout << Help << std::flush, std::exit(0);
    else if (Code == 'v')
      std::cout << "rdma-litmus " RDMA_TIDY_VERSION "\n" << std::flush, std::exit(0);
    else
      throw UsageError("unknown option or missing value: '" + std::string(Argv[optind - 1]) + "'");
  }
  if (optind < Argc)
    O.Command = Argv[optind++];
  O.Files.assign(Argv + optind, Argv + Argc);
  if (O.Command != "check" && O.Command != "outcomes" && O.Command != "robust")
    throw UsageError(O.Command.empty()
                         ? "say what to do: check, outcomes or robust"
                         : "no command '" + O.Command + "'; there are check, outcomes and robust");
  for (const std::string &Option : O.Given)
    if (!goesWith(Option, O.Command))
      throw UsageError("--" + Option + " does not go with '" + O.Command + "'");
  if (O.Files.empty())
    throw UsageError("no input files");
  if (O.Command != "check" && O.Files.size() > 1)
    throw UsageError("'" + O.Command + "' takes one file");
  return O;
}

double secondsSince(std::chrono::steady_clock::time_point Begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin).count();
}

/// Runs are of the threads that are there, and of nobody else.
LitmusTest readClosed(const std::string &File) {
  LitmusTest Test = readLitmus(File);
  if (Test.Code.OpenWorld)
    throw InputError({File, 0, 0, {}}, "any node may access what is 'open': write threads that do");
  return Test;
}

bool checkFile(const std::string &File, const explorer::Limits &L) {
  LitmusTest Test = readClosed(File);
  auto Begin = std::chrono::steady_clock::now();
  CheckedTest Done = check(Test, L);
  double Time = secondsSince(Begin);
  for (const CheckedAssertion &A : Done.Assertions)
    if (A.Result != Answer::Holds)
      std::cout << File << ":" << A.Which->Where.Line << ": "
                << (A.Result == Answer::Fails ? "failed" : "unknown") << ": " << A.Which->Text << " ("
                << name(A.CpuModel) << "): " << A.Because << "\n";
  const char *Words[] = {"ok", "failed", "unknown"};
  char Seconds[32];
  std::snprintf(Seconds, sizeof(Seconds), "%.3f s", Time);
  std::cout << Test.Code.Name << " " << Words[static_cast<int>(Done.overall())] << " " << Done.States
            << " states " << Seconds;
  if (Done.Bounded)
    std::cout << " (loops within --unroll=" << L.Unroll << ")";
  std::cout << std::endl;
  return Done.overall() == Answer::Holds;
}

/// Runs Main for a file; says which one when the explorer cannot run it.
int withFile(const std::string &File, const std::function<int()> &Main) {
  try {
    return Main();
  } catch (const InputError &E) {
    std::cerr << errorLine("rdma-litmus", E.what()) << "\n";
  } catch (const explorer::Unsupported &E) {
    std::cerr << errorLine("rdma-litmus", (E.Placed ? "" : File + ": error: ") + E.what()) << "\n";
  }
  return 2;
}

int checkAll(const LitmusOptions &O) {
  int Worst = 0;
  for (const std::string &File : O.Files)
    Worst = std::max(Worst, withFile(File, [&] { return checkFile(File, O.Limits) ? 0 : 1; }));
  return Worst;
}

nlohmann::json asJson(const Program &P, const explorer::Exploration &E, const explorer::Limits &L) {
  std::set<nlohmann::json> Sorted;
  for (const explorer::Outcome &O : E.Outcomes) {
    nlohmann::json One = nlohmann::json::object();
    for (ObjectId I = 0; I < O.size(); ++I)
      if (!P.Objects[I].Fresh)
        One[P.Objects[I].Name] = O[I];
    Sorted.insert(std::move(One));
  }
  nlohmann::json Out = {{"outcomes", Sorted}};
  if (E.TimedOut)
    Out["complete"] = false;
  if (E.Bounded)
    Out["unroll"] = L.Unroll;
  return Out;
}

int printOutcomes(const LitmusOptions &O) {
  Program P = explorer::concrete(readClosed(O.Files[0]).Code);
  explorer::Exploration E = explorer::explore(P, O.CpuModel, O.Limits);
  if (O.Json) {
    std::cout << asJson(P, E, O.Limits).dump() << "\n";
    return E.TimedOut ? 1 : 0;
  }
  std::set<std::string> Lines;
  for (const explorer::Outcome &One : E.Outcomes)
    Lines.insert(describe(P, One));
  std::cout << "Test " << P.Name << " " << name(O.CpuModel) << "\nStates " << Lines.size() << "\n";
  for (const std::string &Line : Lines)
    std::cout << Line << "\n";
  if (E.Bounded)
    std::cout << "Loops within --unroll=" << O.Limits.Unroll << "\n";
  if (E.TimedOut)
    std::cout << "unknown: stopped by --timeout or for want of memory, outcomes may be missing\n";
  return E.TimedOut ? 1 : 0;
}

int printRobust(const LitmusOptions &O) {
  Program P = explorer::concrete(readClosed(O.Files[0]).Code);
  auto Begin = std::chrono::steady_clock::now();
  explorer::Robustness R = explorer::checkRobust(P, O.CpuModel, O.Limits);
  bool Weak = R.Robust == false;
  std::string Line = P.Name + ": " + std::string(name(O.CpuModel)) + ": ";
  if (!R.Robust)
    Line += R.TooLarge ? "unknown: more than 64 events are under way at once"
                       : "unknown: stopped by --timeout or for want of memory after " +
                             std::to_string(R.States) + " states";
  else
    Line += Weak ? "not robust" : R.Ends ? "robust" : "robust (no run ends)";
  if (R.Bounded && !Weak)
    Line += ", loops within --unroll=" + std::to_string(O.Limits.Unroll);
  // The picture alone goes to standard output, ready for dot.
  (O.Dot || O.Svg ? std::cerr : std::cout) << Line << std::endl;
  if (!Weak)
    return R.Robust ? 0 : 1;
  std::optional<explorer::Witness> W = explorer::findWitness(P, O.CpuModel, O.Limits.since(Begin));
  SourceLines Source({});
  if (W)
    std::cout << (O.Svg ? asSvg(timeline(P, *W)) : O.Dot ? asDot(P, *W, Source) : asText(P, *W, Source));
  else
    std::cout << "A run of it could not be traced.\n";
  return 1;
}

} // namespace

int main(int Argc, char **Argv) {
  return runTool("rdma-litmus", [&] {
    LitmusOptions O = parse(Argc, Argv);
    if (O.Command == "check")
      return checkAll(O);
    return withFile(O.Files[0], [&] { return O.Command == "outcomes" ? printOutcomes(O) : printRobust(O); });
  });
}
