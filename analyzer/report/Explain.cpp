#include "analyzer/report/Explain.h"

#include "analyzer/core/Remedy.h"
#include "analyzer/core/Streams.h"
#include "analyzer/report/Places.h"
#include "analyzer/report/Texts.h"
#include "ir/SubEvents.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace rdma {
namespace {

/// Violations that hang on one thing that is not known. A large program has millions: they are counted, and
/// some of them kept.
struct Hanging {
  static constexpr std::size_t Most = 4096;
  std::uint64_t Count = 0;
  std::vector<Violation> Some;
  void add(const Violation &V) {
    ++Count;
    if (Some.size() < Most)
      Some.push_back(V);
  }
};

class Explainer {
public:
  explicit Explainer(const Program &P) : P(P), Polls(P) {}

  Finding pair(const Violation &V, std::string Check) {
    auto [Earlier, Later] = placesOfPair(P, V.First, V.Second);
    Finding F{
        std::move(Check),
        Severity::Warning,
        {Later, clause(early(V.Second), V.Second) + " before " + clause(notYet(V.First.Kind), V.First)}};
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
  std::vector<Finding> guesses(const std::map<ObjectId, Hanging> &Met) const {
    std::vector<Finding> Remarks;
    for (const auto &[Object, Pairs] : Met) {
      const EventRef *Where = unnamed(Pairs.Some.front());
      if (!Where)
        continue;
      std::vector<std::string> Names = names(*Where);
      Names.push_back(std::to_string(Pairs.Count));
      Remarks.push_back({"rdma-not-analysed",
                         Severity::Remark,
                         {outermostPlace(P, *Where), text(TextId::UnknownMemory, Names)}});
      Remarks.back().Causes = Pairs.Some;
      Remarks.back().Pairs = Pairs.Count;
      Remarks.back().Withholds = true;
    }
    return Remarks;
  }

  /// One remark for each fact that was lost, where it was.
  std::vector<Finding> lost(const std::vector<LostFact> &Facts,
                            const std::map<LostFactId, Hanging> &Open) const {
    std::vector<Finding> Remarks;
    for (const auto &[Id, Pairs] : Open) {
      const LostFact &Fact = Facts[Id];
      const Violation &One = Pairs.Some.front();
      Place At = Fact.Where.known() ? placeToTell(Fact.Where) : outermostPlace(P, One.Second);
      Finding F{"rdma-not-analysed",
                Severity::Remark,
                {At, text(TextId::LostFactText, {Fact.Text.text(), std::to_string(Pairs.Count)})}};
      auto [Earlier, Later] = placesOfPair(P, One.First, One.Second);
      F.Notes.push_back({Earlier, clause(doneHere(One.First.Kind), One.First)});
      F.Notes.push_back({Later, text(TextId::NotProvedHere)});
      if (!Fact.Tell.empty())
        F.Notes.push_back({At, Fact.Tell.text()});
      F.Causes = Pairs.Some;
      F.Pairs = Pairs.Count;
      F.Withholds = true;
      F.RestsOn = Fact.Text.text();
      Remarks.push_back(std::move(F));
    }
    return Remarks;
  }

  /// The object without a name that a guess is about.
  ObjectId guessed(const Violation &V) const {
    const EventRef *E = unnamed(V);
    return E ? E->Location.Target : None;
  }

  Finding remark(const Remark &R) const {
    Finding F{"rdma-not-analysed", Severity::Remark, {placeToTell(R.Where), R.Text.text()}};
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
  bool isMessage(const EventRef &E) const { return rdma::isMessage(P, E.Location.Target); }
  std::string clause(TextId Id, const EventRef &E) const { return text(Id, names(E)); }

  TextId early(const EventRef &E) const {
    bool Deregisters = P.Threads[E.Thread].Statements[E.Statement].Op.Deregisters;
    return isMessage(E) ? TextId::EarlyMessage : Deregisters ? TextId::EarlyDeregistration : tooEarly(E.Kind);
  }

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
    addObserver(V.Observers.front(),
                isMessage(V.Observers.front()) ? TextId::ObserverHears : TextId::ObserverSees, F);
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
    auto [Place, New] = Known[Check].try_emplace(Numbers.ofPair(V.First, V.Second), All.size());
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
  std::map<std::string_view, std::unordered_map<std::uint64_t, std::size_t>> Known; ///< by check, places
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

} // namespace

std::vector<Finding> explain(const Program &P, const Verdict &V) {
  Explainer E(P);
  std::vector<Finding> Findings;
  PairFindings Pairs(P, E, Findings);
  std::map<ObjectId, Hanging> Guessed;
  std::map<LostFactId, Hanging> Lost;
  auto Known = [&](const Violation &X) {
    if (restsOnGuess(P, X))
      Guessed[E.guessed(X)].add(X);
    else if (X.RestsOn != None)
      Lost[X.RestsOn].add(X);
    else
      return true;
    return false;
  };
  for (const Violation &Race : V.LocalRaces)
    if (Known(Race))
      Pairs.add(Race, "rdma-local-race", Severity::Warning);
  for (const Violation &Break : V.AtomicityBreaks)
    if (Known(Break))
      Findings.push_back(E.mixed(Break));
  // Robust by another condition: nobody can see these pairs out of order.
  bool Ordered = V.Fenced || V.TreeFenced;
  InOrder Races(V.LocalRaces), Cycles(V.OpenCycles);
  // A race that rests on what is not known is a remark, and hides no finding about the pair.
  auto isRace = [&](const Violations::Pair &Pair) {
    std::size_t Race = Races.find(Pair);
    return Race != None && !restsOnLoss(P, V.LocalRaces[Race]);
  };
  for (std::size_t I = 0; !Ordered && I < V.OpenCycles.size(); ++I)
    if (!isRace(V.OpenCycles.pairs()[I]))
      if (const Violation Cycle = V.OpenCycles[I]; Known(Cycle))
        Pairs.add(Cycle, "rdma-fenced", Severity::Warning);
  for (Finding &Remark : E.guesses(Guessed))
    Findings.push_back(std::move(Remark));
  std::set<std::tuple<std::string, std::string, unsigned>> Told;
  auto said = [](const std::string &Text, const Site &Where) {
    const Place At = placeToTell(Where);
    return std::tuple(Text, At.File, At.Line);
  };
  for (const auto &[Id, Unused] : Lost)
    if (const LostFact &Fact = V.Facts[Id]; Fact.Where.known())
      Told.insert(said(Fact.Text.text(), Fact.Where));
  for (Finding &Remark : E.lost(V.Facts, Lost))
    Findings.push_back(std::move(Remark));
  for (std::size_t I = 0; I < V.UnfencedPairs.size(); ++I)
    if (Cycles.find(V.UnfencedPairs.pairs()[I]) == None)
      Pairs.add(V.UnfencedPairs[I], "rdma-fenced-strict", Severity::Remark);
  for (const Remark &R : P.Remarks)
    if (!R.Where.known() || !Told.count(said(R.Text.text(), R.Where)))
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
  auto Count = [&](const auto &List) {
    for (const Violation &X : List)
      ++(restsOnLoss(P, X) ? S.PairsNotProved : S.PairsNotOrdered);
  };
  Count(V.LocalRaces);
  Count(V.AtomicityBreaks);
  Count(V.OpenCycles);
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

Standing standing(const Summary &S) {
  return S.Robust ? Standing::Robust : S.PairsNotOrdered ? Standing::NotRobust : Standing::NotProved;
}

std::string_view name(Standing S) {
  constexpr std::string_view Names[] = {"robust", "not proved robust", "not robust"};
  return Names[static_cast<unsigned>(S)];
}

} // namespace rdma
