#include "analyzer/clang/translate/Spins.h"

#include <algorithm>
#include <set>

namespace rdma::clang_ir {

namespace {

bool isNothing(const Statement &S) {
  return S.Op.Kind == OperationKind::Nop && S.Lost == None && !S.Op.Outside;
}

bool looksAt(const Statement &S, const Access &Word) {
  return S.Op.Kind == OperationKind::Assume && !S.Op.Awaits && S.Lost == None && S.Op.Local == Word;
}

/// Is the next that the thread does on each way another look at the same word?
bool isLookedAtAgain(const Thread &T, StatementId Look) {
  const Access &Word = T.Statements[Look].Op.Local;
  std::set<StatementId> Seen;
  std::vector<StatementId> Work{Look};
  while (!Work.empty()) {
    const Statement &Here = T.Statements[Work.back()];
    Work.pop_back();
    if (Here.Successors.empty())
      return false;
    for (StatementId Next : Here.Successors) {
      if (looksAt(T.Statements[Next], Word) || !Seen.insert(Next).second)
        continue;
      if (!isNothing(T.Statements[Next]))
        return false;
      Work.push_back(Next);
    }
  }
  return true;
}

} // namespace

void dropSpins(Program &P) {
  for (Thread &T : P.Threads)
    for (StatementId S = 0; S < T.Statements.size(); ++S)
      if (Statement &Here = T.Statements[S]; looksAt(Here, Here.Op.Local) && isLookedAtAgain(T, S)) {
        Here.Op = {};
        Here.ClearOf.clear();
      }
}

} // namespace rdma::clang_ir
