#include "analyzer/diagram/Cycle.h"
#include "analyzer/report/Texts.h"

namespace rdma {
namespace {

Place placeOf(const Program &P, ThreadIndex Thread, StatementId Statement) {
  const Site &Where = P.Threads[Thread].Statements[Statement].Where;
  return Where.known() ? Where.Chain.back() : Place{};
}

/// Two programs each have their `main`.
std::string nameOf(const Program &P, ThreadIndex T) {
  const Thread &Own = P.Threads[T];
  std::string Name = Own.Name;
  bool Node = false, Number = false;
  for (ThreadIndex I = 0; I < P.Threads.size(); ++I)
    if (I != T && P.Threads[I].Name == Own.Name)
      (P.Threads[I].Home == Own.Home ? Number : Node) = true;
  return Name + (Node ? " on " + P.Nodes[Own.Home].Name : "") + (Number ? " #" + std::to_string(T + 1) : "");
}

bool isWrite(EventKind K) {
  using enum EventKind;
  return K == lW || K == CAS || K == nrW || K == narW || K == nlW;
}

CycleNode nodeOf(const Program &P, const EventRef &E) {
  return {nameOf(P, E.Thread), (isWrite(E.Kind) ? "writes " : "reads ") + describe(P, E.Location),
          placeOf(P, E.Thread, E.Statement), E.Statement};
}

} // namespace

CycleDrawing cycleOf(const Program &P, const explorer::Witness &W) {
  CycleDrawing C;
  using enum TextId;
  constexpr TextId Words[] = {EdgeProgramOrder, EdgeSeenBy, EdgeNotSeenBy, EdgeBefore}; // as explorer::Edge
  for (std::size_t I = 0; I < W.Cycle.size(); ++I) {
    const explorer::RecordedEvent &E = W.Run->Events[W.Cycle[I].Event];
    const explorer::RecordedEvent &Next = W.Run->Events[W.Cycle[(I + 1) % W.Cycle.size()].Event];
    std::string Object = E.Location == None ? "" : P.Objects[E.Location].Name;
    C.Nodes.push_back({nameOf(P, E.Thread),
                       (E.Write ? "writes " : "reads ") + Object + " = " + std::to_string(E.Value),
                       placeOf(P, E.Thread, E.Statement), W.Cycle[I].Event});
    bool Broken = W.Cycle[I].ToNext == explorer::Edge::Po && E.Time > Next.Time;
    const std::string Why = text(Words[static_cast<int>(W.Cycle[I].ToNext)]);
    C.Edges.push_back({Broken ? text(EdgeBroken, {Why}) : Why, Broken});
  }
  return C;
}

CycleDrawing cycleOf(const Program &P, const Violation &V) {
  CycleDrawing C;
  std::vector<EventRef> Events{V.First, V.Second};
  Events.insert(Events.end(), V.Observers.begin(), V.Observers.end());
  for (std::size_t I = 0; I < Events.size(); ++I) {
    C.Nodes.push_back(nodeOf(P, Events[I]));
    bool Inside = Events[I].Thread == Events[(I + 1) % Events.size()].Thread && I + 1 < Events.size();
    C.Edges.push_back({text(I == 0   ? TextId::EdgeNotKept
                            : Inside ? TextId::EdgeProgramOrder
                                     : TextId::EdgeConflict),
                       I == 0});
  }
  return C;
}

} // namespace rdma
