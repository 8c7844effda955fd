#include "analyzer/diagram/Timeline.h"

#include <algorithm>
#include <map>

namespace rdma {
namespace {

using explorer::Actor;
using explorer::RecordedEvent;
using explorer::Witness;
using explorer::WitnessStep;

class Layout {
public:
  Layout(const Program &P, const Witness &W) : P(P), W(W) {}

  Timeline run() {
    findLanes();
    for (const WitnessStep &S : W.Steps)
      add(S);
    return std::move(T);
  }

private:
  /// Within a node: its threads with what works for them, then its memory.
  using Key = std::tuple<NodeId, ThreadIndex, Actor>;

  Key keyOf(const WitnessStep &S) const { return {P.Threads[S.Thread].Home, S.Thread, S.By}; }
  static Key memoryOf(NodeId Home) { return {Home, None, Actor::Cpu}; }
  const RecordedEvent *eventOf(const WitnessStep &S) const {
    return S.Event == None ? nullptr : &W.Run->Events[S.Event];
  }

  void findLanes() {
    for (const WitnessStep &S : W.Steps) {
      Lanes[keyOf(S)] = 0;
      if (const RecordedEvent *E = eventOf(S); E && E->Location != None)
        Lanes[memoryOf(P.Objects[E->Location].Home)] = 0;
    }
    for (auto &[Key, Index] : Lanes) {
      auto [Home, Thread, By] = Key;
      Index = T.Lanes.size();
      if (T.Nodes.empty() || Nodes.back() != Home) {
        Nodes.push_back(Home);
        T.Nodes.push_back({P.Nodes[Home].Name, Index, 0});
      }
      ++T.Nodes.back().Lanes;
      T.Lanes.push_back({title(Thread, By)});
    }
  }

  std::string title(ThreadIndex Thread, Actor By) const {
    if (Thread == None)
      return "memory";
    std::string Name = P.Threads[Thread].Name;
    return By == Actor::Cpu ? "CPU: " + Name : By == Actor::StoreBuffer ? "store buffer" : "NIC";
  }

  void add(const WitnessStep &S) {
    TimelineStep Row;
    Row.Text = S.What;
    Row.Lane = Lanes.at(keyOf(S));
    Site Where = S.Where;
    if (const RecordedEvent *E = eventOf(S)) {
      if (!Where.known())
        Where = P.Threads[E->Thread].Statements[E->Statement].Where;
      if (E->Location != None) {
        Row.Memory = Lanes.at(memoryOf(P.Objects[E->Location].Home));
        Row.Writes = E->Write;
        Row.Value = P.Objects[E->Location].Name + " = " + std::to_string(E->Value);
      }
      Row.Shows = isShown(S.Event);
    }
    if (Where.known())
      Row.At = Where.Chain.back();
    Row.Since = causeOf(S, Where);
    Sites.push_back({S.Thread, S.By, Where});
    T.Steps.push_back(std::move(Row));
  }

  /// What a NIC or a store buffer does, its thread's CPU asked for: the last step there of the same
  /// statement.
  unsigned causeOf(const WitnessStep &S, const Site &Where) const {
    if (S.By == Actor::Cpu || !Where.known())
      return None;
    for (unsigned I = Sites.size(); I-- > 0;)
      if (Sites[I].Thread == S.Thread && Sites[I].By == Actor::Cpu && Sites[I].Where == Where)
        return I;
    return None;
  }

  bool isShown(unsigned Event) const {
    return std::any_of(W.Cycle.begin(), W.Cycle.end(), [&](auto &C) { return C.Event == Event; }) ||
           std::any_of(W.Run->Torn.begin(), W.Run->Torn.end(),
                       [&](auto Torn) { return Torn.first == Event || Torn.second == Event; });
  }

  struct Doing {
    ThreadIndex Thread;
    Actor By;
    Site Where;
  };

  const Program &P;
  const Witness &W;
  Timeline T;
  std::map<Key, unsigned> Lanes;
  std::vector<NodeId> Nodes;
  std::vector<Doing> Sites;
};

} // namespace

Timeline timeline(const Program &P, const Witness &W) { return Layout(P, W).run(); }

} // namespace rdma
