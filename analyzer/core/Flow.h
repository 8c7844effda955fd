// A forward must-analysis over a thread's statements, for facts that small value types hold.
#pragma once

#include "ir/Program.h"

#include <optional>
#include <queue>

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

} // namespace rdma
