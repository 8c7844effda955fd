#include "analyzer/diagram/OrderGraph.h"

#include "analyzer/core/GuaranteedBefore.h"

#include <set>
#include <sstream>
#include <tuple>

namespace rdma {
namespace {

using enum EventKind;
constexpr std::size_t MostEvents = 400; ///< of a thread

std::string escaped(const std::string &Text) {
  std::string Result;
  for (char C : Text)
    Result += C == '"' || C == '\\' ? std::string("\\") + C : std::string(1, C);
  return Result;
}

class Painter {
public:
  Painter(const Program &P, const Verdict &V, Model M) : P(P), M(M) {
    for (const Violations *Open : {&V.LocalRaces, &V.OpenCycles})
      for (const Violation &X : *Open)
        OpenPairs.insert({keyOf(X.First), keyOf(X.Second)});
  }

  std::string paint() {
    Out << "digraph \"" << escaped(P.Name) << "\" {\n  node [shape=box, fontname=\"monospace\"];\n";
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      paint(eventGraph(P, T));
    Out << "}\n";
    return Out.str();
  }

private:
  using Key = std::tuple<ThreadIndex, StatementId, EventKind>;
  static Key keyOf(const EventRef &E) { return {E.Thread, E.Statement, E.Kind}; }

  void paint(const EventGraph &G) {
    std::vector<EventId> Shown;
    for (EventId E : G.Order)
      if (!G.Events[E].Joins)
        Shown.push_back(E);
    const Thread &T = P.Threads[G.Thread];
    if (Shown.size() > MostEvents)
      throw std::length_error("too many events for a picture: " + std::to_string(Shown.size()) +
                              " of thread '" + T.Name + "', where " + std::to_string(MostEvents) +
                              " can be shown");
    Out << "  subgraph cluster_" << G.Thread << " {\n    label=\"thread " << escaped(T.Name) << "\";\n";
    for (EventId E : Shown)
      Out << "    " << nameOf(G, E) << " [label=\"" << escaped(labelOf(G.Events[E].Ref)) << "\"];\n";
    Out << "  }\n";
    std::vector<std::vector<bool>> Ordered; ///< by place in Shown, then by event
    GuaranteedBefore Before(P, G, M);
    for (EventId E : Shown)
      Ordered.push_back(Before.after(E).Ordered);
    for (std::size_t A = 0; A < Shown.size(); ++A)
      for (std::size_t B = A + 1; B < Shown.size(); ++B)
        paintPair(G, Shown, Ordered, A, B);
  }

  void paintPair(const EventGraph &G, const std::vector<EventId> &Shown,
                 const std::vector<std::vector<bool>> &Ordered, std::size_t A, std::size_t B) {
    const EventRef &First = G.Events[Shown[A]].Ref, &Second = G.Events[Shown[B]].Ref;
    if (OpenPairs.contains({keyOf(First), keyOf(Second)}))
      Out << "  " << nameOf(G, Shown[A]) << " -> " << nameOf(G, Shown[B])
          << " [label=\"not ordered\", style=dashed, color=red, fontcolor=red];\n";
    if (!Ordered[A][Shown[B]])
      return;
    for (std::size_t C = A + 1; C < B; ++C)
      if (Ordered[A][Shown[C]] && Ordered[C][Shown[B]])
        return;
    Out << "  " << nameOf(G, Shown[A]) << " -> " << nameOf(G, Shown[B]) << " [label=\""
        << reason(First, Second) << "\"];\n";
  }

  /// The rule that keeps Second behind First (ROBUST Def. 6, 10, 12).
  const char *reason(const EventRef &First, const EventRef &Second) const {
    if (First.Statement == Second.Statement && isNic(First.Kind) && isNic(Second.Kind))
      return "one request";
    switch (observedOrder(M, First.Kind, Second.Kind)) {
    case Order::Kept:
      return "program order";
    case Order::SameQueuePair:
      if (First.Pair == Second.Pair)
        return "same queue pair";
      break;
    case Order::None:
      break;
    }
    if (Second.Kind == EventKind::P)
      return "completion polled";
    return First.Kind == nlW ? "remote fence" : "the ways between";
  }

  std::string labelOf(const EventRef &E) const {
    const Site &Where = P.Threads[E.Thread].Statements[E.Statement].Where;
    std::string Text(name(E.Kind));
    if (E.Location.valid())
      Text += " " + describe(P, E.Location);
    if (E.Pair != None && !P.QueuePairs[E.Pair].Name.empty())
      Text += " on " + P.QueuePairs[E.Pair].Name;
    return Where.known() ? Text + " (line " + std::to_string(Where.Chain.back().Line) + ")" : Text;
  }

  static std::string nameOf(const EventGraph &G, EventId E) {
    return "t" + std::to_string(G.Thread) + "e" + std::to_string(E);
  }

  const Program &P;
  Model M;
  std::set<std::pair<Key, Key>> OpenPairs;
  std::ostringstream Out;
};

} // namespace

std::string orderGraph(const Program &P, const Verdict &V, Model M) { return Painter(P, V, M).paint(); }

} // namespace rdma
