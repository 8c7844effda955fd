#include "analyzer/core/Blocks.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace rdma {

std::vector<unsigned> componentsOf(const std::vector<Block> &Blocks) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> G(Blocks.size());
  for (BlockId B = 0; B < Blocks.size(); ++B)
    for (BlockId Next : Blocks[B].Successors)
      boost::add_edge(B, Next, G);
  std::vector<unsigned> Component(Blocks.size());
  if (!Blocks.empty())
    boost::strong_components(G, Component.data()); // numbers components from the last one on
  return Component;
}

std::vector<BlockId> basesOf(const std::vector<Block> &Blocks) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS> G(Blocks.size());
  for (BlockId B = 0; B < Blocks.size(); ++B)
    for (BlockId Next : Blocks[B].Successors)
      boost::add_edge(B, Next, G);
  std::vector<std::size_t> Dominator(Blocks.size(), None);
  if (!Blocks.empty())
    boost::lengauer_tarjan_dominator_tree(
        G, 0, boost::make_iterator_property_map(Dominator.begin(), get(boost::vertex_index, G)));
  std::vector<BlockId> Bases(Blocks.size(), None);
  for (BlockId B = 1; B < Blocks.size(); ++B) { // dominators come first
    BlockId Above = Dominator[B];
    Bases[B] = Blocks[Above].InCycle ? Bases[Above] : Above;
  }
  return Bases;
}

/// Depth first, what leaves loops first: it then comes last in reverse postorder.
static std::vector<BlockId> settledOrder(const std::vector<Block> &Blocks) {
  std::vector<std::vector<BlockId>> Next(Blocks.size());
  for (BlockId B = 0; B < Blocks.size(); ++B) {
    Next[B] = Blocks[B].Successors;
    std::stable_sort(Next[B].begin(), Next[B].end(),
                     [&](BlockId X, BlockId Y) { return Blocks[X].LoopDepth < Blocks[Y].LoopDepth; });
  }
  std::vector<BlockId> Order;
  std::vector<bool> Seen(Blocks.size());
  std::vector<std::pair<BlockId, std::size_t>> Stack = {{0, 0}};
  Seen[0] = true;
  while (!Stack.empty()) {
    auto &[B, I] = Stack.back();
    if (I == Next[B].size()) {
      Order.push_back(B);
      Stack.pop_back();
      continue;
    }
    BlockId To = Next[B][I++];
    if (!Seen[To]) {
      Seen[To] = true;
      Stack.push_back({To, 0});
    }
  }
  std::reverse(Order.begin(), Order.end());
  return Order;
}

static std::vector<Block> reordered(std::vector<Block> Blocks) {
  std::vector<BlockId> Order = settledOrder(Blocks), Place(Blocks.size());
  std::vector<Block> Sorted;
  for (BlockId At = 0; At < Order.size(); ++At) {
    Place[Order[At]] = At;
    Sorted.push_back(std::move(Blocks[Order[At]]));
  }
  for (Block &B : Sorted)
    for (BlockId &Next : B.Successors)
      Next = Place[Next];
  return Sorted;
}

std::vector<Block> blocksOf(const EventGraph &G) {
  std::vector<unsigned> Into(G.Events.size());
  for (EventId E : G.Order)
    for (EventId Next : G.Events[E].Successors)
      ++Into[Next];
  ++Into[G.Entry];
  auto continues = [&](EventId E) {
    const auto &Next = G.Events[E].Successors;
    return Next.size() == 1 && Into[Next[0]] == 1;
  };
  std::vector<bool> Inside(G.Events.size());
  for (EventId E : G.Order)
    if (continues(E))
      Inside[G.Events[E].Successors[0]] = true;
  std::vector<Block> Blocks;
  std::vector<BlockId> Begins(G.Events.size(), None);
  std::vector<EventId> Last;
  for (EventId Leader : G.Order) {
    if (Inside[Leader])
      continue;
    Begins[Leader] = Blocks.size();
    Blocks.push_back({});
    Blocks.back().LoopDepth = G.Events[Leader].LoopDepth;
    EventId E = Leader;
    for (;; E = G.Events[E].Successors[0]) {
      if (!G.Events[E].Joins)
        Blocks.back().Events.push_back(E);
      if (!continues(E))
        break;
    }
    Last.push_back(E);
  }
  for (BlockId B = 0; B < Blocks.size(); ++B)
    for (EventId Next : G.Events[Last[B]].Successors)
      Blocks[B].Successors.push_back(Begins[Next]);
  Blocks = reordered(std::move(Blocks));
  std::vector<unsigned> Component = componentsOf(Blocks), Size(Blocks.size());
  for (unsigned C : Component)
    ++Size[C];
  for (BlockId B = 0; B < Blocks.size(); ++B) {
    const auto &Next = Blocks[B].Successors;
    Blocks[B].InCycle = Size[Component[B]] > 1 || std::find(Next.begin(), Next.end(), B) != Next.end();
  }
  return Blocks;
}

std::uint64_t pairsReached(const EventGraph &G, const std::vector<Block> &Blocks) {
  std::vector<unsigned> Component = componentsOf(Blocks);
  unsigned Count = 0;
  for (unsigned C : Component)
    Count = std::max(Count, C + 1);
  std::vector<std::uint64_t> Weight(Count);
  std::vector<bool> Cycles(Count);
  std::vector<std::vector<unsigned>> Next(Count);
  for (BlockId B = 0; B < Blocks.size(); ++B) {
    Weight[Component[B]] += std::count_if(Blocks[B].Events.begin(), Blocks[B].Events.end(),
                                          [&](EventId E) { return G.Events[E].Ref.Location.valid(); });
    Cycles[Component[B]] = Blocks[B].InCycle;
    for (BlockId To : Blocks[B].Successors)
      if (Component[To] != Component[B])
        Next[Component[B]].push_back(Component[To]);
  }
  std::uint64_t Pairs = 0;
  for (unsigned C = 0; C < Count; ++C)
    Pairs += Cycles[C] ? Weight[C] * Weight[C] : Weight[C] * (Weight[C] - (Weight[C] > 0)) / 2;
  // Who reaches whom, for some thousand components at a time.
  constexpr unsigned Words = 64;
  std::vector<std::array<std::uint64_t, Words>> Reaches(Count);
  for (unsigned First = 0; First < Count; First += 64 * Words)
    for (unsigned C = First; C < Count; ++C) { // successors have smaller numbers
      auto &Mine = Reaches[C];
      Mine = {};
      for (unsigned To : Next[C]) {
        if (To < First)
          continue;
        for (unsigned W = 0; W < Words; ++W)
          Mine[W] |= Reaches[To][W];
        if (To - First < 64 * Words)
          Mine[(To - First) / 64] |= std::uint64_t(1) << (To - First) % 64;
      }
      if (!Weight[C])
        continue;
      std::uint64_t Behind = 0;
      for (unsigned W = 0; W < Words; ++W)
        for (std::uint64_t Left = Mine[W]; Left; Left &= Left - 1)
          Behind += Weight[First + 64 * W + std::countr_zero(Left)];
      Pairs += Weight[C] * Behind;
    }
  return Pairs;
}

} // namespace rdma
