#include "Check.h"
#include "Apart.h"
#include "Extracted.h"

#include "analyzer/core/Reasons.h"
#include "analyzer/explorer/Compiled.h"
#include "analyzer/explorer/Explore.h"
#include "analyzer/report/Explain.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rdma::test {
namespace {

using namespace std::chrono_literals;

const std::vector<Shape> Shapes = {
    {.MaxStatements = 3},
    {.MaxThreads = 2, .MaxStatements = 5, .FlagPercent = 20},
    {.MinThreads = 3, .MaxThreads = 4, .MaxStatements = 2},
    {.MaxStatements = 3, .Choices = true},
    {.MaxThreads = 2, .MaxStatements = 3, .Loops = true},
    {.MaxThreads = 2, .MaxStatements = 2, .Locks = true},
    {.MaxStatements = 3, .Handshakes = true},
    {.MaxStatements = 4, .Pairs = true},
    {.MaxThreads = 2, .MaxStatements = 4, .Choices = true, .Pairs = true},
};

bool isStraight(const std::vector<RandomStatement> &Body) {
  return std::none_of(Body.begin(), Body.end(), [](const RandomStatement &S) {
    return !S.Blocks.empty() || S.Text.starts_with("assume");
  });
}

/// Of a program that asks nothing of a NIC no verdict is given.
bool posts(const RandomProgram &P) {
  Program Code = P.parse();
  return std::any_of(Code.Threads.begin(), Code.Threads.end(), [](const Thread &T) {
    return std::any_of(T.Statements.begin(), T.Statements.end(),
                       [](const Statement &S) { return S.Op.Remote.valid(); });
  });
}

bool isStraight(const RandomProgram &P) {
  return std::all_of(P.Threads.begin(), P.Threads.end(), [](const auto &T) { return isStraight(T.Body); });
}

/// Is a number put from memory of the thread by a request that no poll behind it may complete?
bool outlivesItsSource(const std::vector<RandomStatement> &Body) {
  unsigned Out = 0; // requests that are not completed
  bool Literal = false;
  for (const RandomStatement &S : Body) {
    const std::size_t From = S.Text.find("<- ");
    if (From != std::string::npos) {
      ++Out;
      Literal |= S.Text.starts_with("put") && !std::isalpha(S.Text[From + 3]);
    } else if (S.Text.starts_with("poll") && Out && --Out == 0) {
      Literal = false;
    }
  }
  return Literal;
}

/// A source on the stack ends with its thread: not so in the litmus program, where it is for ever.
bool outlivesItsSource(const Case &C) {
  return C.Written[Aspect::Literals] == "local" &&
         std::any_of(C.Litmus.Threads.begin(), C.Litmus.Threads.end(),
                     [](const auto &T) { return outlivesItsSource(T.Body); });
}

void compare(const Case &C, Model M, const Program &Litmus, const Program &Extracted, Compared &Out) {
  bool Expected = decide(Litmus, M).robust();
  Verdict V = judge(Extracted, M);
  Standing Stands = standing(summarize(Extracted, V, M));
  bool Robust = Stands == Standing::Robust;
  Out.Litmus &= Expected;
  Out.Extracted &= Robust;
  std::string Under = " under " + std::string(name(M));
  auto set = [&](Wrong W, const std::string &Why) {
    if (Out.What == Wrong::No || W < Out.What)
      Out.What = W, Out.Why = Why + Under;
  };
  if (Robust && !Expected && explorer::checkRobust(Litmus, M, {.Timeout = 1s, .Unroll = 2}).Robust == false)
    set(Wrong::Unsound, "robust, but the explorer finds it is not");
  if (C.Straight && Expected != Robust && !(Expected && outlivesItsSource(C))) {
    std::string Why = Expected ? "the litmus program is robust, its source is not"
                               : "robust, though the litmus program is not by the conditions";
    for (const Remark &R : Extracted.Remarks)
      Why += "\n  remark: " + R.Text.text();
    set(Wrong::Different, Why);
  }
  Program Emitted = parseLitmus(writeLitmus(Extracted), "emitted").Code;
  Verdict Again = judge(Emitted, M);
  if (Standing There = standing(summarize(Emitted, Again, M));
      There != Stands || Again.robust() != V.robust())
    set(Wrong::Emitted,
        std::string(name(Stands)) + ", and what --emit-ir prints is " + std::string(name(There)));
}

} // namespace

std::string_view name(Wrong W) {
  constexpr std::string_view Names[] = {"right", "unsound", "different", "emitted", "refused", "crashed"};
  return Names[static_cast<unsigned>(W)];
}

Case makeCase(std::uint64_t Seed) {
  std::mt19937_64 Random(Seed);
  Case C;
  C.Seed = Seed;
  C.Litmus = randomProgram(Seed, Shapes[Random() % Shapes.size()]);
  C.Written = randomStyle(Random);
  C.Straight = isStraight(C.Litmus) && posts(C.Litmus);
  return C;
}

namespace {

/// Takes out of a topology what the error says that the program does not use; false: it says something else.
bool leaveOut(std::string &Topology, const std::string &Error) {
  std::size_t End = Error.find("' is no "), Begin = Error.find('\'');
  if (End == std::string::npos || Begin >= End)
    return false;
  std::string Path = Error.substr(Begin + 1, End - Begin - 1);
  nlohmann::json All = nlohmann::json::parse(Topology);
  bool Any = false;
  for (const char *Part : {"queue_pairs", "regions"})
    for (auto &OfEntry : All[Part]) {
      Any |= OfEntry.erase(Path) > 0;
      for (auto &Pair : OfEntry)
        if (Pair.is_object() && Pair.value("send_cq", "") == Path)
          Any |= Pair.erase("send_cq") > 0;
    }
  Topology = All.dump(2);
  return Any;
}

Extraction extractLeavingOut(ExtractionOptions O) {
  for (;;)
    try {
      return extract(O);
    } catch (const InputError &Error) {
      if (!leaveOut(O.Overlay["case.json"], Error.what()))
        throw;
    }
}

Compared compareHere(const Case &C) {
  Compared Out{true, true, Wrong::No, ""};
  try {
    Program Litmus = inVerbs(C.Litmus, C.Seed);
    Extraction E = extractLeavingOut(optionsFor(writeSources(Litmus, C.Written, C.Seed)));
    for (Model M : {Model::RdmaTso, Model::RdmaSc})
      compare(C, M, Litmus, E.Code, Out);
  } catch (const InputError &Error) {
    Out = {false, false, Wrong::Refused, Error.what()};
  }
  return Out;
}

} // namespace

Compared compare(const Case &C) {
  compileHeaders(writeSources(inVerbs(C.Litmus, C.Seed), C.Written, C.Seed));
  auto Told = apart(
      [&] {
        Compared Here = compareHere(C);
        std::string Out(3, '\0');
        Out[0] = Here.Litmus, Out[1] = Here.Extracted, Out[2] = static_cast<char>(Here.What);
        return Out + Here.Why;
      },
      20);
  if (!Told)
    return {false, false, Wrong::Crashed, "a crash, or no end"};
  return {(*Told)[0] != 0, (*Told)[1] != 0, static_cast<Wrong>((*Told)[2]), Told->substr(3)};
}

Case shrink(const Case &C, Wrong W) {
  Case Small = C;
  Small.Litmus = shrink(C.Litmus, [&](const RandomProgram &Less) {
    Case Try = C;
    Try.Litmus = Less;
    Try.Straight &= posts(Less);
    return compare(Try).What == W;
  });
  return Small;
}

std::string print(const Case &C) {
  Program Litmus = inVerbs(C.Litmus, C.Seed);
  Sources S = writeSources(Litmus, C.Written, C.Seed);
  std::string Out = "// " + C.Written.describe(litmusAspects()) + "\n" + writeLitmus(Litmus);
  for (const auto &[File, Text] : S.Texts)
    Out += "--- " + File + "\n" + Text;
  return Out + "--- topology.json\n" + S.Topology + "\n";
}

} // namespace rdma::test
