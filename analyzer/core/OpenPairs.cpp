#include "analyzer/core/OpenPairs.h"

#include <algorithm>
#include <unordered_map>

namespace rdma {
namespace {

/// Accesses of one kind of question (a location, a group, a queue pair), by class of those that gb has not
/// yet before everything.
class Shelf {
public:
  struct Part {
    ClassId Class;
    std::vector<EventId> Events;
  };
  std::vector<Part> Parts;
  std::size_t Most = 16; ///< when there are more, some may have merged

  void add(ClassId C, EventId E) {
    for (auto P = Parts.rbegin(); P != Parts.rend(); ++P)
      if (P->Class == C)
        return P->Events.push_back(E);
    Parts.push_back({C, {E}});
  }
};

class Collector : public ClassVisitor {
public:
  Collector(const EventGraph &G, const Locations &Where, const Asked &What, OrderClasses &Gb, OpenPairs &Out)
      : G(G), Where(Where), What(What), Gb(Gb), Out(Out), Class(G.Events.size(), None) {}

private:
  void enterBlock() override {
    Merged.clear();
    Retired.clear();
    Shelves.clear();
  }

  void joins(EventId E, ClassId C) override {
    Class[E] = C;
    const EventRef &Ref = G.Events[E].Ref;
    if (What.Conflicts)
      put(writes(Ref.Kind) ? Writes : Reads, Where.of(G.Thread, E), C, E);
    if (!What.Groups.empty() && What.Groups[E] != None)
      put(Public, What.Groups[E], C, E);
    if (What.ReadThenRemote && Ref.Kind == EventKind::nrR)
      put(RemoteReads, Ref.Pair, C, E);
  }
  void merges(ClassId From, ClassId Into) override { Merged[From] = Into; }
  void retires(ClassId C) override { Retired[C] = true; }

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

  enum Question : std::uint64_t { Writes, Reads, Public, RemoteReads };
  static std::uint64_t key(Question Q, unsigned Number) { return std::uint64_t(Number) << 2 | Q; }
  void put(Question Q, unsigned Number, ClassId C, EventId E) {
    Shelf &S = Shelves[key(Q, Number)];
    S.add(C, E);
    if (S.Parts.size() > S.Most) {
      refresh(S);
      S.Most = 2 * S.Parts.size() + 16;
    }
  }

  /// The class that C has become; None for one that is before everything.
  ClassId now(ClassId C) {
    for (auto Up = Merged.find(C); Up != Merged.end(); Up = Merged.find(C)) {
      if (auto Next = Merged.find(Up->second); Next != Merged.end())
        Up->second = Next->second;
      C = Up->second;
    }
    return Retired.contains(C) ? None : C;
  }

  void ask(Question Q, unsigned Number, EventId Later) {
    auto Found = Shelves.find(key(Q, Number));
    if (Found == Shelves.end())
      return;
    refresh(Found->second);
    for (const Shelf::Part &P : Found->second.Parts)
      if (!Gb.before(P.Class))
        for (EventId Earlier : P.Events)
          if (now(Class[Earlier]) == P.Class) // it has not come anew since
            Out.Pairs.push_back({Earlier, Later});
    if (Found->second.Parts.empty())
      Shelves.erase(Found);
  }

  /// Puts together what has merged, and drops what has retired.
  void refresh(Shelf &S) {
    std::vector<Shelf::Part> Kept;
    for (Shelf::Part &P : S.Parts) {
      ClassId C = now(P.Class);
      if (C == None)
        continue;
      auto Same = std::find_if(Kept.begin(), Kept.end(), [&](auto &K) { return K.Class == C; });
      if (Same == Kept.end()) {
        Kept.push_back({C, std::move(P.Events)});
        continue;
      }
      if (Same->Events.size() < P.Events.size())
        std::swap(Same->Events, P.Events);
      Same->Events.insert(Same->Events.end(), P.Events.begin(), P.Events.end());
    }
    S.Parts = std::move(Kept);
  }

  const EventGraph &G;
  const Locations &Where;
  const Asked &What;
  OrderClasses &Gb;
  OpenPairs &Out;
  std::vector<ClassId> Class; ///< per event, when it joined one last
  std::unordered_map<ClassId, ClassId> Merged;
  std::unordered_map<ClassId, bool> Retired;
  std::unordered_map<std::uint64_t, Shelf> Shelves;
};

} // namespace

OpenPairs openPairs(const Program &P, const EventGraph &G, const Locations &Where, Model M,
                    const Asked &What) {
  OrderClasses Gb(P, G, M);
  OpenPairs Out;
  Collector Into(G, Where, What, Gb, Out);
  Gb.visit(Into);
  std::vector<unsigned> Position(G.Events.size());
  for (unsigned At = 0; At < G.Order.size(); ++At)
    Position[G.Order[At]] = At;
  auto place = [&](const OpenPair &Pair) {
    return std::uint64_t(Position[Pair.Earlier]) << 32 | Position[Pair.Later];
  };
  std::sort(Out.Pairs.begin(), Out.Pairs.end(),
            [&](const OpenPair &A, const OpenPair &B) { return place(A) < place(B); });
  Out.Pairs.erase(std::unique(Out.Pairs.begin(), Out.Pairs.end()), Out.Pairs.end());
  Out.Reached = pairsReached(G, Gb.blocks());
  return Out;
}

} // namespace rdma
