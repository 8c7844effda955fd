// Guaranteed-before of a whole thread as a table, for tests that ask about single pairs.
#pragma once

#include "analyzer/core/OrderClasses.h"

#include <map>
#include <set>

namespace rdma {

class OrderTable : ClassVisitor {
public:
  OrderTable(const Program &P, const EventGraph &G, Model M)
      : G(G), Gb(P, G, M, true), Open(G.Events.size()) {
    for (EventId E = 0; E < G.Events.size(); ++E)
      Reached.push_back(behind(E));
    Gb.visit(*this);
  }

  /// Does Later come after Earlier on some path?
  bool reached(EventId Earlier, EventId Later) const { return Reached[Earlier][Later]; }
  /// And is Earlier guaranteed before it on every such path?
  bool ordered(EventId Earlier, EventId Later) const {
    return reached(Earlier, Later) && !Open[Later].contains(Earlier);
  }
  bool open(EventId Earlier, EventId Later) const { return Open[Later].contains(Earlier); }
  /// How many of the pairs are open, as the analysis counts them.
  std::uint64_t Unordered = 0;

private:
  std::vector<bool> behind(EventId From) const {
    std::vector<bool> Seen(G.Events.size());
    for (std::vector<EventId> Work = {From}; !Work.empty();) {
      EventId E = Work.back();
      Work.pop_back();
      for (EventId Next : G.Events[E].Successors)
        if (!Seen[Next]) {
          Seen[Next] = true;
          Work.push_back(Next);
        }
    }
    return Seen;
  }

  void enterBlock() override {
    Members.clear();
    Bundles.push_back({});
  }
  void leaveBlock() override { Bundles.pop_back(); }
  void brings(unsigned Number, ClassId C) override {
    const std::set<EventId> &All = Bundles[Bundles.size() - 2].at(Number);
    Members[C].insert(All.begin(), All.end());
  }
  void bundles(unsigned Number, ClassId C) override { Bundles.back()[Number] = Members[C]; }
  void joins(EventId E, ClassId C) override {
    for (auto &[Class, Events] : Members)
      Events.erase(E);
    Members[C].insert(E);
  }
  void merges(ClassId From, ClassId Into) override {
    Members[Into].insert(Members[From].begin(), Members[From].end());
    Members.erase(From);
  }
  void retires(ClassId C) override { Members.erase(C); }
  void at(const Now &N) override {
    Unordered += N.Unordered;
    for (auto &[Class, Events] : Members)
      if (!Gb.before(Class))
        Open[N.Event].insert(Events.begin(), Events.end());
  }

  const EventGraph &G;
  OrderClasses Gb;
  std::vector<std::vector<bool>> Reached;
  std::vector<std::set<EventId>> Open; ///< by the later event
  std::map<ClassId, std::set<EventId>> Members;
  std::vector<std::map<unsigned, std::set<EventId>>> Bundles; ///< of each block that is entered
};

} // namespace rdma
