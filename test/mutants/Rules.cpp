// Every mutant of the NIC rules, and whether anything outside the NIC can tell it apart.
//
// What the outside sees of a queue pair: reads and writes of memory, and of which request; the lock; polls
// that find a completion, and of which request. What stays inside: an operation that moves from queue to
// queue. Two sets of rules are the same when they have the same sequences of visible steps, requests being
// posted at any time: then they have the same executions with any program and any other queue pair around
// them.
//
// Looked at: all sequences of up to three requests (four with an argument) of all kinds and flags. Prints a
// line for each mutant: its number and "equivalent", or the requests that tell it apart.
#include "runtime/nic/Apply.h"

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace rdma::nic;

namespace {

/// A request: which, and how its compare-and-swap will go.
struct Request {
  int Number = 0;
  bool Succeeds = true;
  bool operator==(const Request &) const = default;
};
using Queues = QueuePairQueues<Request>;

/// Memory that writes down what is done to it.
struct Recorder {
  bool Locked = false;
  std::string Did;
  void note(const char *What, const Request &R) { Did += What + std::to_string(R.Number); }
  void readLocal(Request &R) { note("reads source of ", R); }
  void readRemote(Request &R) { note("reads remote of ", R); }
  void writeLocal(Request &R) { note("writes result of ", R); }
  void writeRemote(Request &R) { note("writes remote of ", R); }
  std::optional<Request> readAtomic(Request &R) {
    note("reads atomically for ", R);
    return R.Succeeds ? std::optional(R) : std::nullopt;
  }
  bool tryLock(Request &) { return !std::exchange(Locked, true); }
  void unlock(Request &R) {
    Locked = false;
    note(" unlocks ", R);
  }
};

struct Kind {
  const char *Name;
  EntryKind Entry;
  bool Succeeds = true, Signaled = true, Fenced = false;
};
const Kind Kinds[] = {{"put", EntryKind::Put},
                      {"inline put", EntryKind::PutValue},
                      {"get", EntryKind::Get},
                      {"atomic", EntryKind::Atomic},
                      {"failing swap", EntryKind::Atomic, false},
                      {"remote fence", EntryKind::Fence, true, false},
                      {"fenced put", EntryKind::Put, true, true, true},
                      {"fenced get", EntryKind::Get, true, true, true},
                      {"unsignaled put", EntryKind::Put, true, false},
                      {"fenced inline put", EntryKind::PutValue, true, true, true},
                      {"fenced atomic", EntryKind::Atomic, true, true, true},
                      {"unsignaled put", EntryKind::Put, true, false},
                      {"unsignaled get", EntryKind::Get, true, false},
                      {"unsignaled atomic", EntryKind::Atomic, true, false}};

struct State {
  Queues Q;
  bool Locked = false;
  bool Others = false; ///< it is another queue pair that has the lock
  std::size_t Posted = 0;
};

std::string encode(const State &S) {
  std::string Out = std::to_string(S.Posted) + (S.Locked ? "L" : "") + (S.Others ? "O" : "");
  for (const auto *Queue : {&S.Q.Pipe, &S.Q.ToRemote, &S.Q.ToLocal}) {
    Out += '|';
    for (const auto &E : *Queue) {
      Out += char('a' + int(E.Kind));
      Out += char('0' + E.Data.Number);
    }
  }
  return Out;
}

using Set = std::map<std::string, State>;

/// One sequence of requests under the rules as they stand and under a mutant.
class Comparison {
public:
  Comparison(const std::vector<const Kind *> &Requests, int Mutant) : Requests(Requests), Mutant(Mutant) {}

  /// Both as deterministic automata, side by side.
  bool same() {
    std::set<std::string> Seen;
    std::vector<std::pair<Set, Set>> Work = {{start(-1), start(Mutant)}};
    while (!Work.empty()) {
      auto [A, B] = std::move(Work.back());
      Work.pop_back();
      if (!Seen.insert(key(A) + "#" + key(B)).second)
        continue;
      std::map<std::string, Set> After = visible(A, -1), Instead = visible(B, Mutant);
      for (auto &[What, Next] : After) {
        auto Same = Instead.find(What);
        if (Same == Instead.end() || After.size() != Instead.size())
          return false;
        Work.push_back({std::move(Next), std::move(Same->second)});
      }
      if (After.empty() != Instead.empty())
        return false;
    }
    return true;
  }

private:
  static std::string key(const Set &S) {
    std::string Out;
    for (auto &[Code, At] : S)
      Out += Code + ";";
    return Out;
  }

  Set start(int Rules) {
    Set S;
    add(S, {}, Rules);
    return S;
  }

  /// The state and what the NIC reaches from it without being seen.
  void add(Set &To, State S, int Rules) {
    std::string Code = encode(S);
    if (!To.try_emplace(Code, S).second)
      return;
    for (auto &[What, Next] : steps(S, Rules))
      if (What.empty())
        add(To, Next, Rules);
  }

  std::map<std::string, Set> visible(const Set &From, int Rules) {
    std::map<std::string, Set> Out;
    for (auto &[Code, S] : From) {
      for (auto &[What, Next] : steps(S, Rules))
        if (!What.empty())
          add(Out[What], Next, Rules);
      rdma::mutant::rule() = Rules;
      State Next = S;
      if (auto Done = Next.Q.poll())
        add(Out["completes " + std::to_string(Done->Number)], Next, Rules);
      if (S.Q.quiet())
        add(Out["quiet"], S, Rules);
      if (!S.Locked || S.Others)
        add(Out[S.Others ? "others unlock" : "others lock"], otherwise(S), Rules);
      if (S.Posted < Requests.size())
        add(Out["post"], posted(S, Rules), Rules);
    }
    return Out;
  }

  static State otherwise(State S) {
    S.Locked = S.Others = !S.Others;
    return S;
  }

  State posted(State S, int Rules) const {
    rdma::mutant::rule() = Rules;
    const Kind &K = *Requests[S.Posted];
    S.Q.post({K.Entry, K.Signaled, {int(++S.Posted), K.Succeeds}}, K.Fenced);
    return S;
  }

  static std::vector<std::pair<std::string, State>> steps(const State &S, int Rules) {
    rdma::mutant::rule() = Rules;
    std::vector<std::pair<std::string, State>> Out;
    for (Step Taken : enabledSteps(S.Q, !S.Locked)) {
      State Next = S;
      Recorder Memory{S.Locked, ""};
      if (!apply(Next.Q, Taken, Memory))
        continue;
      Next.Locked = Memory.Locked;
      Next.Others &= Next.Locked;
      Out.push_back({Memory.Did, Next});
    }
    return Out;
  }

  const std::vector<const Kind *> &Requests;
  int Mutant;
};

/// The first sequence of this length that tells the mutant apart.
std::string difference(std::vector<const Kind *> &Requests, std::size_t Length, int Mutant) {
  if (Requests.size() == Length) {
    if (Comparison(Requests, Mutant).same())
      return "";
    std::string Text;
    for (const Kind *K : Requests)
      Text += (Text.empty() ? "" : ", ") + std::string(K->Name);
    return Text;
  }
  for (const Kind &K : Kinds) {
    Requests.push_back(&K);
    std::string Found = difference(Requests, Length, Mutant);
    Requests.pop_back();
    if (!Found.empty())
      return Found;
  }
  return "";
}

} // namespace

int main(int Count, char **Words) {
  std::size_t Longest = Count > 1 ? std::atoi(Words[1]) : 3;
  for (int Mutant = 0; Mutant < rdma::mutant::Rules; ++Mutant) {
    std::string Found;
    std::vector<const Kind *> Requests;
    for (std::size_t Length = 1; Length <= Longest && Found.empty(); ++Length)
      Found = difference(Requests, Length, Mutant);
    std::cout << "nic " << Mutant << ": " << (Found.empty() ? "equivalent" : Found) << std::endl;
  }
}
