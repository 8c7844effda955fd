#include "analyzer/report/Explain.h"

#include "analyzer/core/Remedy.h"
#include "analyzer/report/Places.h"
#include "analyzer/report/Texts.h"
#include "ir/SubEvents.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_set>

namespace rdma {
namespace {

class Explainer {
public:
  explicit Explainer(const Program &P) : P(P), Polls(P) {}

  Finding pair(const Violation &V, std::string Check) {
    auto [Earlier, Later] = placesOfPair(P, V.First, V.Second);
    Finding F{std::move(Check),
              Severity::Warning,
              {Later, clause(tooEarly(V.Second.Kind), V.Second) + " before " +
                          clause(notYet(V.First.Kind), V.First)}};
    F.Notes.push_back({Earlier, clause(doneHere(V.First.Kind), V.First)});
    if (V.Broken != Rule::LocalRace)
      addObservers(V, F);
    addSurprise(V, F);
    F.Notes.push_back({Later, fix(V)});
    F.Causes = {V};
    return F;
  }

  Finding mixed(const Violation &V) const {
    auto [Atomic, Other] = placesOfPair(P, V.First, V.Second);
    std::vector<std::string> Names = names(V.Second);
    Names.push_back(text(kindOf(V.Second.Kind)));
    Finding F{"rdma-atomics", Severity::Warning, {Other, text(TextId::MixedAtomic, Names)}};
    F.Notes.push_back({Atomic, text(TextId::AtomicElsewhere, {P.Threads[V.First.Thread].Name})});
    F.Notes.push_back({Other, text(TextId::FixAtomics)});
    F.Causes = {V};
    return F;
  }

  /// One remark for each object without a name, at the first place that meets it.
  std::vector<Finding> guesses(const std::vector<Violation> &Guessed) const {
    std::map<ObjectId, std::pair<EventRef, std::vector<Violation>>> Met;
    for (const Violation &V : Guessed)
      if (const EventRef *E = unnamed(V))
        Met.try_emplace(E->Location.Target, *E, std::vector<Violation>()).first->second.second.push_back(V);
    std::vector<Finding> Remarks;
    for (const auto &[Object, Where] : Met) {
      std::vector<std::string> Names = names(Where.first);
      Names.push_back(std::to_string(Where.second.size()));
      Remarks.push_back({"rdma-not-analysed",
                         Severity::Remark,
                         {outermostPlace(P, Where.first), text(TextId::UnknownMemory, Names)}});
      Remarks.back().Causes = Where.second;
      Remarks.back().Withholds = true;
    }
    return Remarks;
  }

  /// One remark for each fact that was lost, where it was.
  std::vector<Finding> lost(const std::vector<LostFact> &Facts, const std::vector<Violation> &Open) const {
    std::map<LostFactId, std::vector<Violation>> Hanging;
    for (const Violation &V : Open)
      Hanging[V.RestsOn].push_back(V);
    std::vector<Finding> Remarks;
    for (auto &[Id, Pairs] : Hanging) {
      const LostFact &Fact = Facts[Id];
      Place At = Fact.Where.known() ? Fact.Where.Chain.front() : outermostPlace(P, Pairs.front().Second);
      Finding F{"rdma-not-analysed",
                Severity::Remark,
                {At, text(TextId::LostFactText, {Fact.Text, std::to_string(Pairs.size())})}};
      auto [Earlier, Later] = placesOfPair(P, Pairs.front().First, Pairs.front().Second);
      F.Notes.push_back({Earlier, clause(doneHere(Pairs.front().First.Kind), Pairs.front().First)});
      F.Notes.push_back({Later, text(TextId::NotProvedHere)});
      if (!Fact.Tell.empty())
        F.Notes.push_back({At, Fact.Tell});
      F.Causes = std::move(Pairs);
      F.Withholds = true;
      F.RestsOn = Fact.Text;
      Remarks.push_back(std::move(F));
    }
    return Remarks;
  }

  Finding remark(const Remark &R) const {
    Finding F{
        "rdma-not-analysed", Severity::Remark, {R.Where.known() ? R.Where.Chain.front() : Place{}, R.Text}};
    F.Withholds = !R.Covered;
    return F;
  }

private:
  const EventRef *unnamed(const Violation &V) const {
    auto Unnamed = [&](const EventRef &E) { return P.Objects[E.Location.Target].Anything; };
    if (Unnamed(V.Second))
      return &V.Second;
    if (Unnamed(V.First))
      return &V.First;
    auto Found = std::find_if(V.Observers.begin(), V.Observers.end(), Unnamed);
    return Found == V.Observers.end() ? nullptr : &*Found;
  }

  std::vector<std::string> names(const EventRef &E) const {
    return {describe(P, E.Location), P.Nodes[P.Objects[E.Location.Target].Home].Name};
  }
  std::string clause(TextId Id, const EventRef &E) const { return text(Id, names(E)); }

  static TextId kindOf(EventKind K) {
    using enum TextId;
    return K == EventKind::CAS   ? KindCas
           : K == EventKind::nrW ? KindWrite
           : K == EventKind::nlW ? KindDelivery
                                 : KindStore;
  }

  void addObservers(const Violation &V, Finding &F) const {
    if (V.Observers.empty()) {
      F.Notes.push_back({F.Main.At, text(TextId::OthersMaySee,
                                         {describe(P, V.First.Location), describe(P, V.Second.Location)})});
      return;
    }
    addObserver(V.Observers.front(), TextId::ObserverSees, F);
    if (V.Observers.size() > 1)
      addObserver(V.Observers.back(), TextId::ObserverThen, F);
  }

  void addObserver(const EventRef &E, TextId Id, Finding &F) const {
    const Thread &T = P.Threads[E.Thread];
    F.Notes.push_back(
        {outermostPlace(P, E), text(Id, {T.Name, P.Nodes[T.Home].Name, describe(P, E.Location)})});
  }

  void addSurprise(const Violation &V, Finding &F) {
    if (V.LoopCarried)
      F.Notes.push_back({F.Main.At, text(TextId::AroundLoop)});
    if (V.First.Kind != EventKind::nrW && V.First.Kind != EventKind::narW)
      return;
    if (std::optional<Place> Poll = Polls.find(V.First, V.Second))
      F.Notes.push_back({*Poll, text(TextId::PolledNotArrived)});
  }

  std::string fix(const Violation &V) const {
    using enum TextId;
    switch (cheapestRemedy(V)) {
    case Remedy::RemoteFence:
      return text(FixRemoteFence);
    case Remedy::MemoryFence:
      return text(FixMemoryFence);
    case Remedy::Poll:
      return text(FixPoll);
    case Remedy::PolledGet:
      return text(FixPolledGet,
                  {P.Nodes[P.QueuePairs[V.First.Pair].Target].Name, describe(P, V.First.Location)});
    case Remedy::Impossible:
      break;
    }
    return text(FixNone);
  }

  const Program &P;
  PollsBetween Polls;
};

/// One finding of a check for a pair of places, told of the first pair of accesses there. A large program has
/// thousands of pairs of accesses for each.
class PairFindings {
public:
  PairFindings(const Program &P, Explainer &E, std::vector<Finding> &All) : Numbers(P), E(E), All(All) {}

  void add(const Violation &V, const char *Check, Severity Level) {
    auto [Place, New] = Known.try_emplace({Numbers.ofPair(V.First, V.Second), Check}, All.size());
    if (!New) {
      std::vector<Violation> &Causes = All[Place->second].Causes;
      if (Level == Severity::Warning || Causes.size() < MostOfRemark)
        Causes.push_back(V);
      return;
    }
    All.push_back(E.pair(V, Check));
    All.back().Level = Level;
  }

private:
  static constexpr std::size_t MostOfRemark = 64; ///< ways to read a remark that few ask for
  PlaceNumbers Numbers;
  Explainer &E;
  std::vector<Finding> &All;
  std::map<std::pair<std::uint64_t, std::string_view>, std::size_t> Known;
};

auto key(const Finding &F) {
  const Place &A = F.Main.At;
  const Place B = F.Notes.empty() ? Place{} : F.Notes.front().At;
  return std::tuple(A.File, A.Line, A.Column, F.Check, B.File, B.Line, B.Column,
                    F.Notes.empty() ? F.Main.Text : "");
}

/// One finding for a pair of places: replicas of a thread, both ways of a branch and several parts of a
/// request would otherwise repeat it.
std::vector<Finding> sortedOnce(std::vector<Finding> Findings) {
  std::stable_sort(Findings.begin(), Findings.end(), [](auto &A, auto &B) { return key(A) < key(B); });
  std::vector<Finding> Once;
  for (Finding &F : Findings)
    if (Once.empty() || key(Once.back()) != key(F))
      Once.push_back(std::move(F));
    else
      Once.back().Causes.insert(Once.back().Causes.end(), F.Causes.begin(), F.Causes.end());
  return Once;
}

/// The events of a violation, to be looked up. A statement has few events: their kind and object tell most
/// apart.
struct SamePair {
  bool operator()(const Violation *A, const Violation *B) const {
    return A->First == B->First && A->Second == B->Second;
  }
};
struct HashPair {
  std::size_t operator()(const Violation *V) const {
    std::size_t Sum = 0;
    for (const EventRef *E : {&V->First, &V->Second})
      for (std::size_t Part : {std::size_t(E->Thread), std::size_t(E->Statement), std::size_t(E->Kind),
                               std::size_t(E->Location.Target)})
        Sum = (Sum ^ Part) * 0x9e3779b97f4a7c15u + (Sum >> 29);
    return Sum;
  }
};
using PairSet = std::unordered_set<const Violation *, HashPair, SamePair>;

/// The pairs of events that the violations are about.
PairSet pairsOf(const std::vector<Violation> &All) {
  PairSet Pairs;
  for (const Violation &V : All)
    Pairs.insert(&V);
  return Pairs;
}

} // namespace

std::vector<Finding> explain(const Program &P, const Verdict &V) {
  Explainer E(P);
  std::vector<Finding> Findings;
  PairFindings Pairs(P, E, Findings);
  std::vector<Violation> Guessed, Lost;
  auto Known = [&](const Violation &X) {
    if (restsOnGuess(P, X))
      Guessed.push_back(X);
    else if (X.RestsOn != None)
      Lost.push_back(X);
    return !restsOnLoss(P, X);
  };
  for (const Violation &Race : V.LocalRaces)
    if (Known(Race))
      Pairs.add(Race, "rdma-local-race", Severity::Warning);
  for (const Violation &Break : V.AtomicityBreaks)
    if (Known(Break))
      Findings.push_back(E.mixed(Break));
  // Robust by another condition: nobody can see these pairs out of order.
  bool Ordered = V.Fenced || V.TreeFenced;
  // A race that rests on what is not known is a remark, and hides no finding about the pair.
  std::vector<Violation> Proved;
  std::copy_if(V.LocalRaces.begin(), V.LocalRaces.end(), std::back_inserter(Proved),
               [&](const Violation &Race) { return !restsOnLoss(P, Race); });
  const PairSet Races = pairsOf(Proved), Cycles = pairsOf(V.OpenCycles);
  for (const Violation &Cycle : V.OpenCycles) {
    if (!Ordered && !Races.contains(&Cycle) && Known(Cycle))
      Pairs.add(Cycle, "rdma-fenced", Severity::Warning);
  }
  for (Finding &Remark : E.guesses(Guessed))
    Findings.push_back(std::move(Remark));
  std::set<std::tuple<std::string, std::string, unsigned>> Said;
  for (const Violation &X : Lost)
    if (const LostFact &Fact = V.Facts[X.RestsOn]; Fact.Where.known())
      Said.insert({Fact.Text, Fact.Where.Chain.front().File, Fact.Where.Chain.front().Line});
  for (Finding &Remark : E.lost(V.Facts, Lost))
    Findings.push_back(std::move(Remark));
  for (const Violation &Pair : V.UnfencedPairs) {
    if (Cycles.contains(&Pair))
      continue;
    Pairs.add(Pair, "rdma-fenced-strict", Severity::Remark);
  }
  for (const Remark &R : P.Remarks)
    if (!R.Where.known() || !Said.count({R.Text, R.Where.Chain.front().File, R.Where.Chain.front().Line}))
      Findings.push_back(E.remark(R));
  return sortedOnce(std::move(Findings));
}

static std::string seconds(double Time) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%g", Time);
  return Text;
}

std::vector<Note> confirmationNotes(const Finding &F) {
  if (!F.Shown)
    return {};
  const Confirmation &C = *F.Shown;
  const Place &At = F.Main.At;
  if (!C.RestsOn.empty())
    return {{At, text(TextId::NotConfirmed, {C.RestsOn})}};
  if (!C.NotTried.empty())
    return {{At, text(TextId::NotTried, {C.NotTried})}};
  std::string Statements = std::to_string(C.Statements);
  if (C.Complete)
    return {{At, text(TextId::NoExecutionAtAll, {Statements})}};
  if (!C.confirmed())
    return {{At, text(TextId::NoExecution, {Statements, std::to_string(C.Unroll), seconds(C.Seconds)})}};
  std::vector<Note> Notes = {{}};
  for (unsigned I = 0; I < C.Execution.size(); ++I)
    if (const ExecutionStep &S = C.Execution[I]; S.Shows)
      Notes.push_back({S.At, text(TextId::StepSeen, {std::to_string(I + 1), S.Thread, S.Node, S.Text})});
  auto Last = std::find_if(C.Execution.rbegin(), C.Execution.rend(), [](auto &S) { return S.Shows; });
  if (Last != C.Execution.rend())
    Notes.back().Text = text(
        TextId::StepLate, {std::to_string(C.Execution.rend() - Last), Last->Thread, Last->Node, Last->Text});
  TextId First = C.AddedObserver ? TextId::ConfirmedByObserver
                 : C.Extracted   ? TextId::ConfirmedByExtracted
                                 : TextId::ConfirmedBy;
  Notes.front() = {At, text(First, {std::to_string(Notes.size() - 1), std::to_string(C.Execution.size())})};
  return Notes;
}

Summary summarize(const Program &P, const Verdict &V, Model M) {
  Summary S;
  for (const Thread &T : P.Threads)
    for (const Statement &St : T.Statements)
      S.Operations += St.Op.Kind != OperationKind::Nop;
  S.QueuePairs = P.QueuePairs.size();
  S.PairsOrdered = V.PairsOrdered;
  for (const auto *List : {&V.LocalRaces, &V.AtomicityBreaks, &V.OpenCycles})
    for (const Violation &X : *List)
      ++(restsOnLoss(P, X) ? S.PairsNotProved : S.PairsNotOrdered);
  bool Covered = true;
  for (const Remark &R : P.Remarks) {
    S.SitesNotAnalysed += !R.Covered;
    Covered &= R.Covered;
  }
  S.Asked = P.Closed || P.OpenWorld;
  S.Robust = V.robust() && Covered && S.Asked;
  S.Model = name(M);
  return S;
}

} // namespace rdma
