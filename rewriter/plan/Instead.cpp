#include "rewriter/plan/Instead.h"

#include "analyzer/core/Reasons.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace rdma {
namespace {

using enum EventKind;

/// By statements: what an operation is about may change.
using PairKey = std::tuple<ThreadIndex, StatementId, StatementId>;
std::set<PairKey> keysOf(const std::vector<Violation> &Found) {
  std::set<PairKey> Keys;
  for (const Violation &V : Found)
    Keys.insert({V.Second.Thread, V.First.Statement, V.Second.Statement});
  return Keys;
}

/// Most devices take that many bytes along.
constexpr std::int64_t MostInline = 64;

/// Reads memory that the CPU uses too early.
bool sendsTooLate(const Program &P, const Violation &V) {
  const Statement &Later = P.Threads[V.Second.Thread].Statements[V.Second.Statement];
  return V.Broken == Rule::LocalRace && V.First.Kind == nlR && !isNic(V.Second.Kind) && !Later.Op.Deregisters;
}

Operation &operationOf(Program &P, const EventRef &E) {
  return P.Threads[E.Thread].Statements[E.Statement].Op;
}

bool postOnSamePair(Program &P, const Violation &V) {
  Operation &Later = operationOf(P, V.Second);
  if (V.First.Pair == None || !isRequest(Later.Kind) || !isNic(V.Second.Kind) ||
      P.QueuePairs[Later.Pair].Target != P.QueuePairs[V.First.Pair].Target)
    return false;
  Later.Pair = V.First.Pair;
  return true;
}

bool sendInline(Program &P, const Violation &V) {
  Operation &Request = operationOf(P, V.First);
  if (V.Broken != Rule::LocalRace || V.First.Kind != nlR || Request.Kind != OperationKind::Put ||
      Request.Local.whole() || Request.Local.Somewhere ||
      Request.Local.End - Request.Local.Begin > MostInline)
    return false;
  Request.Inline = true;
  return true;
}

bool sendCopy(Program &P, const Violation &V) {
  // What is changed as a whole may be given back.
  if (!sendsTooLate(P, V) || V.Second.Location.whole())
    return false;
  P.Objects.push_back({.Name = "copy", .Home = P.Threads[V.First.Thread].Home, .Fresh = true});
  operationOf(P, V.First).Local = {static_cast<ObjectId>(P.Objects.size() - 1)};
  return true;
}

class Alternatives {
public:
  Alternatives(const Program &P, Model M, const PlanOptions &O, const std::vector<PlannedEdit> &Edits,
               std::size_t Edit)
      : P(P), M(M), O(O), E(Edits[Edit]), Others(Edits) {
    Others.erase(Others.begin() + Edit);
    std::vector<Violation> Open = open(applied(P, Others));
    OpenWithout = keysOf(Open);
    std::set<PairKey> OpenWith = keysOf(open(applied(P, Edits)));
    std::erase_if(Open, [&](const Violation &V) { return OpenWith.contains(*keysOf({V}).begin()); });
    Orders = std::move(Open);
  }

  std::string told() const {
    if (Orders.empty())
      return {};
    const std::string Wait = E.What == Remedy::PolledGet ? "READ" : "wait";
    const std::string &Pair = P.QueuePairs[E.Why.First.Pair].Name;
    if (!Pair.empty() && wouldDo(postOnSamePair))
      return "posted on '" + Pair + "' as well, the later request would need no " + Wait;
    const Access &Buffer = E.Why.First.Location;
    if (wouldDo(sendInline))
      return "with IBV_SEND_INLINE the request of " + std::to_string(Buffer.End - Buffer.Begin) +
             " bytes would need no wait, where max_inline_data of its queue pair allows it";
    if (wouldDo(sendCopy))
      return "sent from a copy, in a buffer of its own, the request would need no wait";
    return {};
  }

  /// Of one thread, as a wait is.
  std::vector<StatementId> inlined() const {
    std::set<StatementId> Requests;
    for (const Violation &V : Orders)
      if (V.First.Thread == E.Why.First.Thread)
        Requests.insert(V.First.Statement);
    if (Requests.empty() || !wouldDo(sendInline))
      return {};
    return {Requests.begin(), Requests.end()};
  }

private:
  std::vector<Violation> open(const Program &Of) const { return toRepair(Of, judge(Of, M), O); }

  /// All that the edit orders would be in order, and nothing else be out of it.
  bool wouldDo(bool (*Change)(Program &, const Violation &)) const {
    Program Changed = P;
    for (const Violation &V : Orders)
      if (!Change(Changed, V))
        return false;
    std::set<PairKey> Mine = keysOf(Orders);
    std::set<PairKey> Left = keysOf(open(applied(Changed, Others)));
    return std::all_of(Left.begin(), Left.end(),
                       [&](const PairKey &Key) { return OpenWithout.contains(Key) && !Mine.contains(Key); });
  }

  const Program &P;
  const Model M;
  const PlanOptions &O;
  const PlannedEdit &E;
  std::vector<PlannedEdit> Others;
  std::vector<Violation> Orders; ///< what would be open without the edit
  std::set<PairKey> OpenWithout;
};

} // namespace

std::string insteadOf(const Program &P, Model M, const PlanOptions &O, const std::vector<PlannedEdit> &Edits,
                      std::size_t Edit) {
  const PlannedEdit &E = Edits[Edit];
  if ((E.What != Remedy::Poll && E.What != Remedy::PolledGet) || E.OwnPolls || !E.Inlined.empty() ||
      E.Leaves || E.Why.First.Pair == None)
    return {};
  return Alternatives(P, M, O, Edits, Edit).told();
}

std::vector<StatementId> inlinedInsteadOf(const Program &P, Model M, const PlanOptions &O,
                                          const std::vector<PlannedEdit> &Edits, std::size_t Edit) {
  const PlannedEdit &E = Edits[Edit];
  if (E.What != Remedy::Poll || E.Counts || E.Leaves || E.Why.First.Pair == None)
    return {};
  return Alternatives(P, M, O, Edits, Edit).inlined();
}

} // namespace rdma
