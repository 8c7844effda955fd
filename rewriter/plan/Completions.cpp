#include "rewriter/plan/Completions.h"

#include "rewriter/plan/RefusalTexts.h"

#include <set>
#include <tuple>

namespace rdma {
namespace {

using enum OperationKind;

/// One that is counted tells what polls have done.
bool isOwnWait(const Operation &Op) { return Op.Kind == Wait && !Op.Counted; }

bool isOfSource(const Statement &S) { return S.Where.known() && !S.Where.Chain.front().Function.empty(); }

/// A statement of litmus text is a place of its own.
using Where = std::tuple<std::string, unsigned, unsigned, StatementId>;
Where whereOf(const Statement &S, StatementId Id) {
  if (!isOfSource(S))
    return {"", 0, 0, Id};
  const Place &P = S.Where.Chain.front();
  return {P.File, P.Line, P.Column, 0};
}

/// Is a request with the identifier posted on every way from the entry to the statement, behind the last wait
/// for it? Backwards: no way may reach the entry, or such a wait, without one.
bool isPostedBefore(const Thread &T, const std::vector<std::vector<StatementId>> &Previous, StatementId At) {
  WorkId Id = T.Statements[At].Op.Id;
  std::vector<bool> Seen(T.Statements.size());
  if (At == T.Entry)
    return false;
  std::vector<StatementId> Work = Previous[At];
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    const Operation &Op = T.Statements[S].Op;
    if (Seen[S] || (isRequest(Op.Kind) && Op.Id == Id))
      continue;
    Seen[S] = true;
    if (S == T.Entry || (Op.Kind == Wait && Op.Id == Id))
      return false;
    Work.insert(Work.end(), Previous[S].begin(), Previous[S].end());
  }
  return true;
}

} // namespace

CompletionPlaces completionPlaces(const Program &P, ThreadIndex T) {
  std::set<Where> Posts, Polls, Waits;
  const Thread &Body = P.Threads[T];
  for (StatementId S = 0; S < Body.Statements.size(); ++S) {
    const Operation &Op = Body.Statements[S].Op;
    if (isRequest(Op.Kind) && (Op.Id == None || Op.Counted))
      Posts.insert(whereOf(Body.Statements[S], S));
    else if (Op.Kind == Poll)
      Polls.insert(whereOf(Body.Statements[S], S));
    else if (isOwnWait(Op))
      Waits.insert(whereOf(Body.Statements[S], S));
  }
  return {static_cast<unsigned>(Posts.size()), static_cast<unsigned>(Polls.size()),
          static_cast<unsigned>(Waits.size())};
}

std::string takenFromProgram(const Program &Before, const Program &After) {
  if (Before.Threads.size() != After.Threads.size())
    return refusals::OtherThreads();
  for (ThreadIndex T = 0; T < After.Threads.size(); ++T) {
    CompletionPlaces Old = completionPlaces(Before, T), New = completionPlaces(After, T);
    const std::string &Name = After.Threads[T].Name;
    if (Old.Posted != New.Posted || Old.Polled != New.Polled)
      return refusals::OtherCompletions(Name);
    if (New.Awaited == Old.Awaited)
      continue;
    auto Previous = predecessors(After.Threads[T]);
    for (StatementId S = 0; S < After.Threads[T].Statements.size(); ++S) {
      const Statement &Here = After.Threads[T].Statements[S];
      bool Reached = S == After.Threads[T].Entry || !Previous[S].empty();
      // The waits of a litmus program are its own affair; those of a source all come from rdma/order.h.
      bool Own = !isOfSource(Here) && S < Before.Threads[T].Statements.size();
      if (isOwnWait(Here.Op) && Reached && !Own && !isPostedBefore(After.Threads[T], Previous, S))
        return refusals::OtherCompletions(Name);
    }
  }
  return {};
}

} // namespace rdma
