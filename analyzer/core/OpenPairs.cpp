#include "analyzer/core/OpenPairs.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace rdma {
namespace {

/// Classes across blocks: what is a class in a block was bundles before.
using NodeId = unsigned;

/// Accesses of one kind of question (a location, a group, a queue pair), by class when they were put there.
struct Part {
  NodeId Node;
  std::vector<EventId> Events;
};
using Shelf = std::vector<Part>;

/// What has been done since a block began, to be undone when it is left.
struct Change {
  enum { AddedPart, AddedEvents, TookPart, MergedNode, RetiredNode, MovedEvent } What;
  Shelf *On = nullptr;
  std::size_t Index = 0, Size = 0;
  Part Taken = {};
};

class Collector : public ClassVisitor {
public:
  Collector(const EventGraph &G, const Locations &Where, const Asked &What, OrderClasses &Gb, OpenPairs &Out)
      : G(G), Where(Where), What(What), Gb(Gb), Out(Out), At(G.Events.size(), None) {}

private:
  struct Node {
    NodeId Up = None;
    bool Retired = false;
    ClassId Class = None; ///< in the block at hand, of roots
    unsigned Block = 0;   ///< for which Class was set
    unsigned Size = 1;
  };
  struct Level {
    std::size_t Changes, Nodes;
    unsigned Block;
    std::vector<NodeId> Bundles;
  };

  void enterBlock() override {
    Levels.push_back({Changes.size(), Nodes.size(), ++Blocks, {}});
    Roots.clear();
  }

  void leaveBlock() override {
    const Level &L = Levels.back();
    while (Changes.size() > L.Changes) {
      undo(Changes.back());
      Changes.pop_back();
    }
    Nodes.resize(L.Nodes);
    Levels.pop_back();
  }

  void brings(unsigned Number, ClassId C) override {
    NodeId Root = rootOf(Levels[Levels.size() - 2].Bundles[Number]);
    if (C < Roots.size() && Roots[C] != None)
      merge(Root, rootOf(Roots[C]));
    else
      name(C, Root);
  }
  void bundles(unsigned Number, ClassId C) override {
    auto &Bundles = Levels.back().Bundles;
    Bundles.resize(std::max<std::size_t>(Bundles.size(), Number + 1), None);
    Bundles[Number] = nodeOf(C);
  }

  void joins(EventId E, ClassId C) override {
    NodeId Root = nodeOf(C);
    Changes.push_back({Change::MovedEvent, nullptr, E, At[E]});
    At[E] = Root;
    const EventRef &Ref = G.Events[E].Ref;
    if (What.Conflicts)
      put(writes(Ref.Kind) ? Writes : Reads, Where.of(G.Thread, E), Root, E);
    if (!What.Groups.empty() && What.Groups[E] != None)
      put(Public, What.Groups[E], Root, E);
    if (What.ReadThenRemote && Ref.Kind == EventKind::nrR)
      put(RemoteReads, Ref.Pair, Root, E);
  }
  void merges(ClassId From, ClassId Into) override { merge(nodeOf(From), nodeOf(Into)); }
  void retires(ClassId C) override {
    NodeId Root = nodeOf(C);
    Nodes[Root].Retired = true;
    Changes.push_back({Change::RetiredNode, nullptr, Root});
  }

  void at(const Now &N) override {
    Out.Count += N.Unordered;
    if (N.Unordered == 0)
      return;
    const EventRef &Ref = G.Events[N.Event].Ref;
    if (What.Conflicts)
      for (LocationId L : Where.overlapping(Where.of(G.Thread, N.Event))) {
        ask(Writes, L, N.Event);
        if (writes(Ref.Kind))
          ask(Reads, L, N.Event);
      }
    if (!What.Groups.empty() && What.Groups[N.Event] != None)
      ask(Public, What.Groups[N.Event], N.Event);
    if (What.ReadThenRemote && isRemote(Ref.Kind))
      ask(RemoteReads, Ref.Pair, N.Event);
  }

  NodeId rootOf(NodeId N) const {
    while (Nodes[N].Up != None)
      N = Nodes[N].Up;
    return N;
  }
  NodeId nodeOf(ClassId C) {
    if (C < Roots.size() && Roots[C] != None)
      return rootOf(Roots[C]);
    Nodes.push_back({});
    name(C, Nodes.size() - 1);
    return Nodes.size() - 1;
  }
  void name(ClassId C, NodeId Root) {
    Roots.resize(std::max<std::size_t>(Roots.size(), C + 1), None);
    Roots[C] = Root;
    Nodes[Root].Class = C;
    Nodes[Root].Block = Levels.back().Block;
  }
  /// The class that a root is in the block at hand; None: it has not come here, or is before everything.
  ClassId classOf(NodeId Root) const {
    const Node &N = Nodes[Root];
    return N.Retired || N.Block != Levels.back().Block ? None : N.Class;
  }
  void merge(NodeId From, NodeId Into) {
    ClassId C = Nodes[Into].Class;
    if (Nodes[From].Size > Nodes[Into].Size)
      std::swap(From, Into);
    Nodes[From].Up = Into;
    Nodes[Into].Size += Nodes[From].Size;
    Nodes[Into].Class = C;
    Nodes[Into].Block = Levels.back().Block;
    Changes.push_back({Change::MergedNode, nullptr, From, Into});
  }

  enum Question : std::uint64_t { Writes, Reads, Public, RemoteReads };
  static std::uint64_t key(Question Q, unsigned Number) { return std::uint64_t(Number) << 2 | Q; }
  void put(Question Q, unsigned Number, NodeId Root, EventId E) {
    Shelf &S = Shelves[key(Q, Number)];
    for (std::size_t I = S.size(); I-- > 0;)
      if (S[I].Node == Root) {
        Changes.push_back({Change::AddedEvents, &S, I, S[I].Events.size()});
        S[I].Events.push_back(E);
        return;
      }
    Changes.push_back({Change::AddedPart, &S});
    S.push_back({Root, {E}});
    if (S.size() > Many && (S.size() & (S.size() - 1)) == 0)
      refresh(S);
  }

  void ask(Question Q, unsigned Number, EventId Later) {
    auto Found = Shelves.find(key(Q, Number));
    if (Found == Shelves.end())
      return;
    refresh(Found->second);
    for (const Part &P : Found->second) {
      NodeId Root = rootOf(P.Node);
      if (!Gb.before(classOf(Root)))
        for (EventId Earlier : P.Events)
          if (rootOf(At[Earlier]) == Root) // it has not come anew since
            Out.Pairs.push_back({Earlier, Later});
    }
  }

  /// Puts together what has merged, and drops what is before everything.
  void refresh(Shelf &S) {
    std::unordered_map<NodeId, std::size_t> First;
    for (std::size_t I = 0; I < S.size();) {
      NodeId Root = rootOf(S[I].Node);
      bool Gone = classOf(Root) == None;
      auto [Same, New] = First.try_emplace(Root, I);
      if (!Gone && New) {
        ++I;
        continue;
      }
      if (!Gone) {
        Part &Kept = S[Same->second];
        Changes.push_back({Change::AddedEvents, &S, Same->second, Kept.Events.size()});
        Kept.Events.insert(Kept.Events.end(), S[I].Events.begin(), S[I].Events.end());
      } else {
        First.erase(Same);
      }
      // The last one takes its place.
      Changes.push_back({Change::TookPart, &S, I, 0, std::move(S[I])});
      if (I + 1 != S.size())
        S[I] = std::move(S.back());
      S.pop_back();
    }
  }

  void undo(Change &C) {
    switch (C.What) {
    case Change::AddedPart:
      C.On->pop_back();
      break;
    case Change::AddedEvents:
      (*C.On)[C.Index].Events.resize(C.Size);
      break;
    case Change::TookPart:
      if (C.Index == C.On->size()) {
        C.On->push_back(std::move(C.Taken));
      } else {
        C.On->push_back(std::move((*C.On)[C.Index]));
        (*C.On)[C.Index] = std::move(C.Taken);
      }
      break;
    case Change::MergedNode:
      Nodes[C.Index].Up = None;
      Nodes[C.Size].Size -= Nodes[C.Index].Size;
      break;
    case Change::RetiredNode:
      Nodes[C.Index].Retired = false;
      break;
    case Change::MovedEvent:
      At[C.Index] = C.Size;
      break;
    }
  }

  static constexpr std::size_t Many = 16; ///< parts of a shelf: some may have merged
  const EventGraph &G;
  const Locations &Where;
  const Asked &What;
  OrderClasses &Gb;
  OpenPairs &Out;
  std::vector<NodeId> At;    ///< per event, where it joined last
  std::vector<NodeId> Roots; ///< per class of the block at hand
  std::vector<Node> Nodes;
  std::vector<Level> Levels;
  std::vector<Change> Changes;
  unsigned Blocks = 0;
  std::unordered_map<std::uint64_t, Shelf> Shelves;
};

/// By the place of one of the two in the thread; where that is the same, as before. A bucket for each place:
/// there are far more pairs than places.
void putInOrder(const EventGraph &G, std::vector<OpenPair> &Pairs, EventId OpenPair::*By) {
  std::vector<std::size_t> Begin(G.Events.size());
  for (const OpenPair &Pair : Pairs)
    ++Begin[Pair.*By];
  std::size_t Sum = 0;
  for (EventId E : G.Order)
    Sum += std::exchange(Begin[E], Sum);
  std::vector<OpenPair> Sorted(Pairs.size());
  for (const OpenPair &Pair : Pairs)
    Sorted[Begin[Pair.*By]++] = Pair;
  Pairs.swap(Sorted);
}

} // namespace

OpenPairs openPairs(const Program &P, const EventGraph &G, const Locations &Where, Model M,
                    const Asked &What) {
  OrderClasses Gb(P, G, M);
  OpenPairs Out;
  Collector Into(G, Where, What, Gb, Out);
  Gb.visit(Into);
  putInOrder(G, Out.Pairs, &OpenPair::Later);
  putInOrder(G, Out.Pairs, &OpenPair::Earlier);
  Out.Pairs.erase(std::unique(Out.Pairs.begin(), Out.Pairs.end()), Out.Pairs.end());
  if (What.HowMany)
    Out.Reached = pairsReached(G, Gb.blocks());
  return Out;
}

} // namespace rdma
