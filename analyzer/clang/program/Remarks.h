// What could not be resolved, each place once.
#pragma once

#include "analyzer/clang/program/RemarkTexts.h"
#include "ir/Program.h"

#include <algorithm>
#include <vector>

namespace rdma::clang_ir {

class RemarkLog {
public:
  /// On: only worth saying if one of these objects turns out to matter; empty: always.
  void add(const Site &Where, const Said &Text, bool Covered, std::vector<ObjectId> On = {}) {
    for (Entry &E : Entries) {
      bool SamePlace = E.What.Where.Chain.empty() == Where.Chain.empty() &&
                       (Where.Chain.empty() || E.What.Where.Chain.front() == Where.Chain.front());
      if (SamePlace && E.What.Text == Text) {
        if (On.empty() || E.On.empty())
          E.On.clear();
        else
          E.On.insert(E.On.end(), On.begin(), On.end());
        return;
      }
    }
    Entries.push_back({{Where, Text, Covered}, std::move(On)});
  }

  /// The remarks that matter, given which objects do.
  template <class Predicate> std::vector<Remark> relevant(Predicate Matters) const {
    std::vector<Remark> All;
    for (const Entry &E : Entries)
      if (E.On.empty() || std::any_of(E.On.begin(), E.On.end(), Matters))
        All.push_back(E.What);
    return All;
  }

private:
  struct Entry {
    Remark What;
    std::vector<ObjectId> On;
  };
  std::vector<Entry> Entries;
};

} // namespace rdma::clang_ir
