#include "Style.h"

#include <algorithm>
#include <stdexcept>

namespace rdma::test {
namespace {

struct Described {
  std::string_view Name;
  std::vector<Way> Ways;
};

const std::array<Described, NumAspects> All = {{
    {"language", {{"C"}, {"C++"}}},
    {"memory", {{"globals"}, {"struct"}, {"array"}, {"pointer"}, {"std::array", true}}},
    {"access", {{"plain"}, {"volatile"}, {"builtin"}, {"atomic"}, {"helper"}}},
    {"queue pairs", {{"parameters"}, {"members"}, {"array"}, {"globals"}}},
    {"requests",
     {{"fields"},
      {"initialiser"},
      {"copied"},
      {"memcpy"},
      {"array"},
      {"chained"},
      {"ring"},
      {"heap"},
      {"unique_ptr", true},
      {"vector", true},
      {"unordered_map", true}}},
    {"helper",
     {{"none"},
      {"value"},
      {"pointer"},
      {"prepare"},
      {"table"},
      {"reference", true},
      {"method", true},
      {"lambda", true},
      {"template", true}}},
    {"control", {{"straight"}, {"once"}, {"return"}, {"switch"}, {"loop"}, {"exceptions", true}}},
    {"polls", {{"while"}, {"do"}, {"for"}, {"drain"}, {"inline"}, {"try"}}},
    {"waits", {{"spin"}, {"return"}}},
    {"literals", {{"local"}, {"static"}, {"heap"}}},
    {"threads", {{"entries"}, {"pthread"}, {"pthread and self"}, {"std::thread", true}}},
    {"files", {{"one"}, {"two"}, {"two, swapped"}}},
    {"counters", {{"locals"}, {"globals"}, {"struct"}, {"static struct"}, {"object", true}}},
    {"integers", {{"int"}, {"unsigned"}, {"long"}, {"uint64_t"}}},
    {"buffers", {{"static"}, {"stack"}, {"calloc"}, {"given"}, {"std::vector", true}}},
    {"items", {{"words"}, {"structs"}, {"rows"}}},
    {"parts", {{"inline"}, {"functions"}, {"lambdas", true}}},
    {"loops", {{"plain"}, {"while"}, {"do"}, {"goto"}, {"forever"}}},
    {"rounds", {{"constant"}, {"parameter"}, {"command line"}}},
    {"results", {{"checked"}, {"status"}, {"taken for good"}}},
}};

const Described &described(Aspect A) { return All[static_cast<unsigned>(A)]; }

} // namespace

std::string_view name(Aspect A) { return described(A).Name; }
const std::vector<Way> &ways(Aspect A) { return described(A).Ways; }

void Style::set(Aspect A, std::string_view Name) {
  const auto &Ways = ways(A);
  auto Found = std::find_if(Ways.begin(), Ways.end(), [&](const Way &W) { return W.Name == Name; });
  if (Found == Ways.end())
    throw std::invalid_argument("no way '" + std::string(Name) + "' of " + std::string(name(A)));
  Chosen[static_cast<unsigned>(A)] = Found - Ways.begin();
}

bool Style::exact() const {
  for (unsigned A = 0; A < NumAspects; ++A)
    if (!way(static_cast<Aspect>(A)).Exact)
      return false;
  return true;
}

bool Style::has(const std::string &Way, const std::vector<Aspect> &Some) const {
  return Way.empty() || std::any_of(Some.begin(), Some.end(), [&](Aspect A) { return (*this)[A] == Way; });
}

bool isWay(const std::string &Name, const std::vector<Aspect> &Some) {
  return Name.empty() || std::any_of(Some.begin(), Some.end(), [&](Aspect A) {
           return std::any_of(ways(A).begin(), ways(A).end(), [&](const Way &W) { return W.Name == Name; });
         });
}

std::string Style::describe(const std::vector<Aspect> &Some) const {
  std::string Out;
  for (Aspect A : Some)
    Out += (Out.empty() ? "" : ", ") + std::string(name(A)) + " " + std::string((*this)[A]);
  return Out;
}

const std::vector<Aspect> &litmusAspects() {
  static const std::vector<Aspect> Some = [] {
    std::vector<Aspect> First;
    for (unsigned A = 0; A <= static_cast<unsigned>(Aspect::Files); ++A)
      First.push_back(static_cast<Aspect>(A));
    return First;
  }();
  return Some;
}

const std::vector<Aspect> &loopAspects() {
  static const std::vector<Aspect> Some = {
      Aspect::Language, Aspect::Ends,     Aspect::Requests, Aspect::Helper,  Aspect::Control,
      Aspect::Polls,    Aspect::Counters, Aspect::Integers, Aspect::Buffers, Aspect::Items,
      Aspect::Parts,    Aspect::Loops,    Aspect::Bounds,   Aspect::Results};
  return Some;
}

namespace {

Style draw(std::mt19937_64 &Random, const std::vector<Aspect> &Some) {
  Style S;
  for (Aspect A : Some)
    do
      S.Chosen[static_cast<unsigned>(A)] = Random() % described(A).Ways.size();
    while (S.way(A).Cpp && !S.cpp());
  return S;
}

} // namespace

Style randomStyle(std::mt19937_64 &Random) {
  Style S = draw(Random, litmusAspects());
  // A list is filled where it is posted; a thread is given one pointer.
  if (S[Aspect::Requests] == "chained")
    S.set(Aspect::Helper, Random() % 2 ? "none" : "prepare");
  else if (S[Aspect::Helper] == "prepare")
    S.set(Aspect::Requests, "fields");
  if (S[Aspect::Threads] != "entries" && S[Aspect::Ends] == "parameters")
    S.set(Aspect::Ends, "members");
  return S;
}

Style randomLoopStyle(std::mt19937_64 &Random) {
  Style S = draw(Random, loopAspects());
  // Lists are a statement of their own there, and so is what stands around the statements.
  if (S[Aspect::Requests] == "chained")
    S.set(Aspect::Requests, "fields");
  if (S[Aspect::Helper] == "prepare")
    S.set(Aspect::Requests, "fields");
  if (const auto &Way = S[Aspect::Control]; Way != "return" && Way != "exceptions")
    S.set(Aspect::Control, "straight");
  // main is given no queue pairs.
  if (S[Aspect::Bounds] == "command line")
    S.set(Aspect::Ends, "globals");
  return S;
}

} // namespace rdma::test
