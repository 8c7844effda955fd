#include "analyzer/confirm/Confirm.h"

#include "analyzer/confirm/Slice.h"
#include "analyzer/explorer/Witness.h"
#include "analyzer/report/Texts.h"

#include <algorithm>

namespace rdma {

using explorer::PairSearch;
using explorer::Witness;

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// The steps without which nothing would be shown: the events of the cycle, or of the torn atomic.
std::vector<unsigned> shownBy(const Witness &W, const explorer::WatchedPair &Pair) {
  std::vector<unsigned> Events;
  for (const explorer::CycleStep &S : W.Cycle)
    Events.push_back(S.Event);
  for (auto [By, Atomic] : W.Run->Torn) {
    const explorer::RecordedEvent &Write = W.Run->Events[Atomic], &Other = W.Run->Events[By];
    if (Pair.Torn && Events.empty() && Write.Statement == Pair.First.Statement &&
        Write.Thread == Pair.First.Thread && Other.Statement == Pair.Second.Statement &&
        Other.Thread == Pair.Second.Thread)
      Events = {Atomic - 1, By, Atomic}; // an atomic's read is issued right before its write
  }
  return Events;
}

class Confirmer {
public:
  Confirmer(const Program &P, Model M, const explorer::Limits &L, bool Extracted, const OnConfirmed &Also)
      : P(P), M(M), L(L), Extracted(Extracted), Also(Also) {}

  Confirmation run(const Finding &F, Milliseconds Time) {
    Begin = Clock::now();
    Budget = Time;
    Out = {};
    Out.Extracted = Extracted;
    Out.Unroll = L.Unroll;
    try {
      look(F);
    } catch (const explorer::Unsupported &E) {
      Out.NotTried = E.what();
    }
    Out.Seconds = std::chrono::duration<double>(L.Timeout).count();
    return std::move(Out);
  }

private:
  Milliseconds left() const {
    return std::max(Milliseconds(1), Budget - std::chrono::duration_cast<Milliseconds>(Clock::now() - Begin));
  }

  void look(const Finding &F) {
    if (std::all_of(F.Causes.begin(), F.Causes.end(), [&](auto &V) { return V.RestsOn != None; })) {
      Out.RestsOn = F.RestsOn;
      return;
    }
    if (std::all_of(F.Causes.begin(), F.Causes.end(), [&](auto &V) { return restsOnLoss(P, V); })) {
      Out.NotTried = text(TextId::NotTriedUnnamed);
      return;
    }
    bool Tried = false, Complete = true;
    std::vector<Violation> Causes;
    std::string Lost;
    for (const Violation &V : F.Causes)
      if (std::string Fact = restsOn(V); Fact.empty())
        Causes.push_back(V);
      else
        Lost = Fact;
    if (Causes.empty()) {
      Out.RestsOn = Lost;
      return;
    }
    std::stable_sort(Causes.begin(), Causes.end(),
                     [&](const Violation &A, const Violation &B) { return rounds(A) < rounds(B); });
    for (bool OneLate : {true, false})
      for (SliceOf What : {SliceOf::Cycle, SliceOf::Threads, SliceOf::Whole}) {
        if (!Extracted && What != SliceOf::Whole) // runs as it is
          continue;
        for (const Violation &V : Causes) {
          std::optional<Slice> Part = slice(P, V, What);
          Tried |= Part.has_value();
          bool Searched = Part && search(F, *Part, OneLate);
          if (Out.confirmed())
            return;
          Complete &= OneLate || Searched;
        }
      }
    bool AnyNumber = std::any_of(P.Threads.begin(), P.Threads.end(), [](const Thread &T) { return T.Many; });
    Out.Complete = Complete && !Extracted && !AnyNumber;
    if (!Tried)
      Out.NotTried = text(TextId::NotTriedTooLarge);
  }

  /// What an execution of the source might do differently on the way to those who look: code that is not
  /// followed, before they do.
  std::string restsOn(const Violation &V) const {
    if (restsOnLoss(P, V))
      return text(TextId::NotTriedUnnamed);
    for (const EventRef &Look : V.Observers) {
      const Thread &T = P.Threads[Look.Thread];
      auto Before = predecessors(T);
      std::vector<bool> Seen(T.Statements.size());
      std::vector<StatementId> Work{Look.Statement};
      while (!Work.empty()) {
        StatementId S = Work.back();
        Work.pop_back();
        if (Seen[S])
          continue;
        Seen[S] = true;
        const Statement &Here = T.Statements[S];
        if (Here.Op.Kind == OperationKind::Nop && Here.Lost != None && P.LostFacts[Here.Lost].Everything)
          return P.LostFacts[Here.Lost].Text.text();
        Work.insert(Work.end(), Before[S].begin(), Before[S].end());
      }
    }
    return "";
  }

  /// Outside loops an execution is shorter.
  unsigned rounds(const Violation &V) const {
    auto depth = [&](const EventRef &E) { return P.Threads[E.Thread].Statements[E.Statement].LoopDepth; };
    return depth(V.First) + depth(V.Second) + V.LoopCarried;
  }

  /// True: every state was looked at.
  bool search(const Finding &F, const Slice &Part, bool OneLate) {
    explorer::Limits Share = L;
    Share.Timeout = L.Timeout.count() ? std::max(Milliseconds(1), left() / 2) : Milliseconds(0);
    PairSearch S = explorer::findWitness(Part.Code, M, Part.Pair, OneLate, Share);
    if (S.Found)
      describe(F, Part, *S.Found);
    if (S.Found && Also)
      Also(F, Part.Code, *S.Found);
    Out.Statements = std::max(Out.Statements, statements(Part.Code));
    return S.complete();
  }

  static unsigned statements(const Program &P) {
    unsigned Count = 0;
    for (const Thread &T : P.Threads)
      Count += std::count_if(T.Statements.begin(), T.Statements.end(),
                             [](const Statement &S) { return S.Op.Kind != OperationKind::Nop; });
    return Count;
  }

  void describe(const Finding &F, const Slice &Part, const Witness &W) {
    std::vector<unsigned> Shown = shownBy(W, Part.Pair);
    Out.AddedObserver = Part.AddedObserver;
    const auto &Events = W.Run->Events;
    for (const explorer::WitnessStep &S : W.Steps) {
      const Thread &T = Part.Code.Threads[S.Thread];
      ExecutionStep Step{S.Where.known() ? S.Where.Chain.back() : Place{}, T.Name,
                         Part.Code.Nodes[T.Home].Name, S.What};
      if (S.Event != None) {
        Step.Shows = std::find(Shown.begin(), Shown.end(), S.Event) != Shown.end();
        // The finding has chosen the call level that tells its two operations apart.
        if (is(Events[S.Event], Part.Pair.First))
          Step.At = F.Notes.front().At;
        else if (is(Events[S.Event], Part.Pair.Second))
          Step.At = F.Main.At;
        else if (!Step.At.Line) // a store on its way out of the store buffer
          Step.At = siteOf(Part.Code, Events[S.Event]);
      }
      if (!Step.At.Line) // someone whom the program does not show
        Step.At = F.Main.At;
      Out.Execution.push_back(std::move(Step));
    }
  }

  static Place siteOf(const Program &Code, const explorer::RecordedEvent &E) {
    const Site &Where = Code.Threads[E.Thread].Statements[E.Statement].Where;
    return Where.known() ? Where.Chain.back() : Place{};
  }

  static bool is(const explorer::RecordedEvent &E, const explorer::EventKey &Key) {
    return explorer::EventKey{E.Thread, E.Statement, E.Location, E.Write} == Key;
  }

  const Program &P;
  Model M;
  const explorer::Limits &L;
  bool Extracted;
  const OnConfirmed &Also;
  Confirmation Out;
  Clock::time_point Begin;
  Milliseconds Budget{0};
};

} // namespace

void confirm(std::vector<Finding> &Findings, const Program &P, Model M, const explorer::Limits &L,
             bool Extracted, const OnConfirmed &Also) {
  Confirmer C(P, M, L, Extracted, Also);
  auto HasCauses = [](const Finding &F) { return !F.Causes.empty(); };
  auto Left = std::count_if(Findings.begin(), Findings.end(), HasCauses);
  auto Begin = Clock::now();
  for (Finding &F : Findings) {
    if (!HasCauses(F))
      continue;
    auto Spent = std::chrono::duration_cast<Milliseconds>(Clock::now() - Begin);
    F.Shown = C.run(F, std::max(Milliseconds(1), (L.Timeout - Spent) / Left--));
  }
}

} // namespace rdma
