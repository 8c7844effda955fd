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

std::string Style::describe() const {
  std::string Out;
  for (unsigned A = 0; A < NumAspects; ++A)
    Out += (A ? ", " : "") + std::string(name(static_cast<Aspect>(A))) + " " +
           std::string((*this)[static_cast<Aspect>(A)]);
  return Out;
}

Style randomStyle(std::mt19937_64 &Random) {
  Style S;
  for (unsigned A = 0; A < NumAspects; ++A)
    do
      S.Chosen[A] = Random() % All[A].Ways.size();
    while (S.way(static_cast<Aspect>(A)).Cpp && !S.cpp());
  // A list is filled where it is posted; a thread is given one pointer.
  if (S[Aspect::Requests] == "chained")
    S.set(Aspect::Helper, Random() % 2 ? "none" : "prepare");
  else if (S[Aspect::Helper] == "prepare")
    S.set(Aspect::Requests, "fields");
  if (S[Aspect::Threads] != "entries" && S[Aspect::Ends] == "parameters")
    S.set(Aspect::Ends, "members");
  return S;
}

} // namespace rdma::test
