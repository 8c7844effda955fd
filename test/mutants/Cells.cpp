// Every mutant of a cell of the order tables, and whether it can be told apart at all.
//
// Both tables are used through closures only: what program order gives ib and ob (closed with each other,
// ROBUST Def. 4), and gb. A closure of more edges depends on the edges of a thread through their closure
// alone, so a mutant that leaves the closures of a thread as they are changes no execution and no verdict.
// Less than the whole closures is enough. Events without location (F, nF, and P, whose pf joins events of one
// thread and is part of what is closed here) take part in nothing else, so they matter only by what leads
// through them. And with the thread's own choices made (nfo, rb_b) all further edges of ib are rf, into
// instantaneous events, and are in ob too: what ib has between instantaneous events ob has, and the other way
// round; what it has besides begins or ends in an event that is left or entered by ob only. So ob tells
// everything.
//
// Looked at: all threads of up to three statements, of all kinds and flags, over two queue pairs. More
// statements cannot tell what three do not: a path through a longer thread is made of edges between two
// statements, or of two edges with an event without location (or a poll) between them; each is replaced
// within the threads of its two or three statements.
//
// Prints a line for each mutant: its name as RDMA_MUTANT takes it, and "equivalent" or the shortest thread
// that tells it apart.
#include "analyzer/explorer/Executions.h"
#include "ir/Litmus.h"
#include "test/mutants/Mutant.h"
#include "test/unit/explorer/Properties.h"

#include <iostream>
#include <string>
#include <vector>

using namespace rdma;
using namespace rdma::explorer;

namespace {

/// All statements, apart from what values and locations they have.
std::vector<std::string> statements() {
  std::vector<std::string> Out = {"a := 1;", "a := b;", "assume(a == 0);", "a := cas(b, 0, 1);", "mfence;"};
  for (std::string Node : {"2", "3"}) {
    std::string To = Node == "2" ? "x" : "y";
    Out.push_back("rfence(" + Node + ");");
    Out.push_back("poll(" + Node + ");");
    for (std::string Flag : {"", " fenced", " unsignaled"})
      for (std::string Operation : {"put " + To + " <- a", "get a <- " + To, "rfaa a <- " + To + " (1)",
                                    "rcas a <- " + To + " (0, 1)"})
        Out.push_back(Operation + Flag + ";");
    for (std::string Flag : {" inline", " inline fenced"})
      Out.push_back("put " + To + " <- a" + Flag + ";");
  }
  return Out;
}

/// One trace of a thread, alone in its program.
struct Line {
  std::string Text;
  std::shared_ptr<const Program> Code;
  PreExecution Graph;
};

void addLines(const std::string &Text, std::vector<Line> &Out) {
  auto Code = std::make_shared<Program>(
      parseLitmus("litmus \"t\" node 1 { a; b; } node 2 { x; } node 3 { y; } thread 1 @ 1 {" + Text + "}",
                  "t")
          .Code);
  for (const ThreadTrace &T : tracesOf(*Code, 0, 0)) {
    Out.push_back({Text, Code, {}});
    Out.back().Graph.append(T, 0);
  }
}

void addSequences(const std::string &Before, unsigned More, std::vector<Line> &Out) {
  for (const std::string &S : statements())
    if (More == 1)
      addLines(Before + S, Out);
    else
      addSequences(Before + S + " ", More - 1, Out);
}

/// What the rest of the model can learn of a thread: ob for each choice the thread has, and gb, between
/// events with a location.
struct Visible {
  std::vector<Relation> Observed;
  Relation Guaranteed;
  bool operator==(const Visible &) const = default;
};

/// ROBUST Def. 6, by its parts that do not need the table, and the table.
Relation guaranteed(const PreExecution &G, Model M) {
  Relation Gb;
  unsigned Count = G.Events.size();
  auto joined = [&](unsigned A, unsigned B) { return G.Events[A].Pair == G.Events[B].Pair; };
  for (unsigned A = 0; A < Count; ++A)
    for (unsigned B = A + 1; B < Count; ++B) {
      Order O = observedOrder(M, G.Events[A].Kind, G.Events[B].Kind);
      if (O == Order::Kept || (O == Order::SameQueuePair && joined(A, B)))
        Gb.add(A, B);
      for (unsigned F = A + 1; F < B; ++F)
        if (G.Events[A].Kind == EventKind::nlW && G.Events[F].Kind == EventKind::nF &&
            G.Events[B].Kind == EventKind::nlR && joined(A, F) && joined(F, B))
          Gb.add(A, B);
    }
  for (unsigned Poll = 0; Poll < Count; ++Poll)
    for (unsigned W : G.Events[Poll].PollsFrom)
      Gb.add(G.Events[W].Kind == EventKind::nlW ? W : W - 1, Poll);
  Gb.close(Count);
  return Gb;
}

Visible visible(const Line &L, Model M) {
  std::uint64_t Seen = 0;
  const unsigned Count = L.Graph.Events.size();
  for (unsigned E = 0; E < Count; ++E)
    if (L.Graph.Events[E].Location != None)
      Seen |= std::uint64_t(1) << E;
  auto restricted = [&](const Relation &All) {
    Relation Some;
    for (unsigned E = 0; E < Count; ++E)
      Some[E] = Seen >> E & 1 ? All[E] & Seen : 0;
    return Some;
  };
  Visible V;
  for (const auto &Orders : ExecutionSearch(*L.Code, L.Graph, M).fromProgramOrder())
    V.Observed.push_back(restricted(Orders.Observed));
  V.Guaranteed = restricted(guaranteed(L.Graph, M));
  return V;
}

/// The lines with what the table as it stands makes visible, for both models.
class Reference {
public:
  explicit Reference(unsigned Length) {
    addSequences("", Length, Lines);
    for (const Line &L : Lines)
      Expected.push_back({visible(L, Model::RdmaTso), visible(L, Model::RdmaSc)});
  }

  /// The first line that tells the mutant apart, or null.
  const Line *difference() const {
    const mutant::Cell &On = mutant::cell();
    for (std::size_t I = 0; I < Lines.size(); ++I)
      if (touches(Lines[I], On) && (visible(Lines[I], Model::RdmaTso) != Expected[I].first ||
                                    visible(Lines[I], Model::RdmaSc) != Expected[I].second))
        return &Lines[I];
    return nullptr;
  }

private:
  static bool touches(const Line &L, const mutant::Cell &C) {
    for (unsigned I = 0; I < L.Graph.Events.size(); ++I)
      if (int(L.Graph.Events[I].Kind) == C.Earlier)
        for (unsigned J = I + 1; J < L.Graph.Events.size(); ++J)
          if (int(L.Graph.Events[J].Kind) == C.Later)
            return true;
    return false;
  }

  std::vector<Line> Lines;
  std::vector<std::pair<Visible, Visible>> Expected;
};

/// What else could stand in a cell.
std::string alternatives(const mutant::Cell &C) {
  auto Table = C.Issued ? issuedOrder : observedOrder;
  auto Earlier = static_cast<EventKind>(C.Earlier), Later = static_cast<EventKind>(C.Later);
  Order Tso = Table(Model::RdmaTso, Earlier, Later), Sc = Table(Model::RdmaSc, Earlier, Later);
  if (Tso != Sc)
    return "-y";
  if (!isNic(Earlier))
    return "-s";
  std::string Now = Tso == Order::SameQueuePair ? "q" : "-", Out;
  for (char Other : std::string(isNic(Later) ? "-qy" : "-y"))
    if (Other != Now[0])
      Out += Other;
  return Out;
}

void judge(const mutant::Cell &C, const std::vector<Reference> &By) {
  mutant::cell() = C;
  std::cout << (C.Issued ? "ippo " : "oppo ") << C.Earlier << " " << C.Later << " " << C.Value << ": "
            << name(EventKind(C.Earlier)) << " before " << name(EventKind(C.Later)) << ": ";
  const Line *Different = nullptr;
  for (std::size_t I = 0; I < By.size() && !Different; ++I)
    Different = By[I].difference();
  std::cout << (Different ? Different->Text : "equivalent") << "\n";
  mutant::cell() = {};
}

/// Do the declarative model's outcomes or its robustness change?
std::optional<std::string> changes(const test::RandomProgram &Random, const mutant::Cell &C) {
  Program P = Random.parse();
  const Limits L{.Timeout = std::chrono::milliseconds(200)};
  for (Model M : {Model::RdmaTso, Model::RdmaSc}) {
    mutant::cell() = {};
    Exploration Outcomes = enumerateOutcomes(P, M, L);
    Robustness Robust = enumerateRobust(P, M, L);
    mutant::cell() = C;
    Exploration Changed = enumerateOutcomes(P, M, L);
    if (Outcomes.TimedOut || Changed.TimedOut)
      continue;
    if (Outcomes.Outcomes != Changed.Outcomes)
      return "outcomes (" + std::string(name(M)) + ")";
    if (Robust.Robust != enumerateRobust(P, M, L).Robust)
      return "robust (" + std::string(name(M)) + ")";
  }
  return std::nullopt;
}

int searchFor(const mutant::Cell &C) {
  auto Changes = [&](const test::RandomProgram &P) { return changes(P, C); };
  std::optional<test::Failure> Found;
  const test::Shape Shapes[] = {{.MaxThreads = 2, .MaxStatements = 3, .FlagPercent = 10},
                                {.MinThreads = 3, .MaxThreads = 3, .MaxStatements = 3}};
  for (std::uint64_t Seed = 1; Seed <= 10000 && !Found; Seed += 1000)
    for (const test::Shape &S : Shapes)
      if (!Found)
        Found = test::search(Seed, 1000, S, Changes);
  if (!Found)
    std::cout << "nothing found\n";
  else
    std::cout << Found->Reason << "\n" << Found->Program.text("seed " + std::to_string(Found->Seed));
  return !Found;
}

} // namespace

int main() {
  if (mutant::Cell On = mutant::cell(); On.Earlier >= 0)
    return searchFor(On);
  std::vector<Reference> By;
  for (unsigned Length : {1, 2, 3})
    By.emplace_back(Length);
  for (bool Issued : {false, true})
    for (int Earlier = 0; Earlier < int(NumEventKinds); ++Earlier)
      for (int Later = 0; Later < int(NumEventKinds); ++Later) {
        mutant::Cell C{Issued, Earlier, Later, '-'};
        for (char Value : alternatives(C))
          judge({Issued, Earlier, Later, Value}, By);
      }
}
