// What comes before what among a thread's statements: a forward must-analysis, for facts that small value
// types hold, and what can be reached.
#pragma once

#include "ir/Program.h"

#include <optional>
#include <queue>
#include <vector>

namespace rdma {

/// Fact: copyable, ==, meet(Other). Transfer: Fact(Fact before, StatementId). Returns the fact before each
/// statement; nothing for statements that cannot be reached.
template <typename Fact, typename TransferFn>
std::vector<std::optional<Fact>> forwardFacts(const Thread &T, Fact AtEntry, TransferFn Transfer) {
  std::vector<std::optional<Fact>> In(T.Statements.size());
  std::queue<StatementId> Work;
  In[T.Entry] = AtEntry;
  Work.push(T.Entry);
  while (!Work.empty()) {
    StatementId S = Work.front();
    Work.pop();
    Fact Out = Transfer(*In[S], S);
    for (StatementId Next : T.Statements[S].Successors) {
      std::optional<Fact> Before = In[Next];
      In[Next] = Before ? Before->meet(Out) : Out;
      if (In[Next] != Before)
        Work.push(Next);
    }
  }
  return In;
}

/// Statements that can be reached behind one of these.
inline std::vector<bool> behind(const Thread &T, std::vector<StatementId> Work) {
  std::vector<bool> Seen(T.Statements.size());
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    for (StatementId Next : T.Statements[S].Successors)
      if (!Seen[Next]) {
        Seen[Next] = true;
        Work.push_back(Next);
      }
  }
  return Seen;
}

/// Statements in front of these: from which a way leads to one of them.
inline std::vector<bool> inFrontOf(const Thread &T, std::vector<StatementId> Work) {
  const std::vector<std::vector<StatementId>> Predecessors = predecessors(T);
  std::vector<bool> Seen(T.Statements.size());
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    for (StatementId Before : Predecessors[S])
      if (!Seen[Before]) {
        Seen[Before] = true;
        Work.push_back(Before);
      }
  }
  return Seen;
}

} // namespace rdma
