// What a post and a poll do to the ghosts.
#include "analyzer/clang/api/WorkRequests.h"
#include "analyzer/clang/counts/Region.h"
#include "analyzer/clang/translate/FailedCalls.h"
#include "analyzer/clang/translate/KeptResults.h"

#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// How the program looks at a call's result: in equalities with zero, and in any other comparison.
struct Looks {
  bool AtZero = false, Otherwise = false;
};

/// Is it the end of a count that begins at zero or above? Below zero is then like zero: nothing to do.
bool endsCount(const ICmpInst &Compare, const Value *Result) {
  auto *Phi = dyn_cast<PHINode>(Compare.getOperand(0));
  if (!Phi || Compare.getOperand(1) != Result || Compare.getPredicate() != ICmpInst::ICMP_SLT)
    return false;
  return all_of(Phi->incoming_values(), [&](const Value *From) {
    auto *Step = dyn_cast<BinaryOperator>(From);
    auto *Number = dyn_cast<ConstantInt>(Step ? Step->getOperand(1) : From);
    return Number && !Number->isNegative() &&
           (!Step || (Step->getOpcode() == Instruction::Add && Step->getOperand(0) == Phi));
  });
}

Looks looksAt(const CallBase &Call) {
  Looks Seen;
  for (const Value *Result : keptResults(Call))
    for (const User *U : Result->users()) {
      if (auto *Compare = dyn_cast<ICmpInst>(U)) {
        if (endsCount(*Compare, Result))
          continue;
        auto *Number = dyn_cast<ConstantInt>(Compare->getOperand(1));
        if (!Compare->isEquality() || (Number && Number->isNegative()))
          Seen.Otherwise = true;
        else if (Number && Number->isZero())
          Seen.AtZero = true;
      } else if (auto *Switch = dyn_cast<SwitchInst>(U)) {
        // A case below zero is a look at the error.
        bool Below = any_of(Switch->cases(), [](auto C) { return C.getCaseValue()->isNegative(); });
        (Below ? Seen.Otherwise : Seen.AtZero) = true;
      }
    }
  return Seen;
}

} // namespace

/// What a request carries: a number, or an address.
z3::expr Region::idOf(const Value &Id, const PostSite &P) {
  if (!S.isAddress(Id))
    return value(&Id);
  std::optional<z3::expr> Whole = address(&Id, P.Call);
  return Whole ? *Whole : fresh(Id.getType());
}

/// The queue holds at most out completions, the request's own and those of other queue pairs that may come
/// first among them: once out + 1 more are taken, one that says that it is complete is.
void Region::post(const PostSite &P, State &Now) {
  z3::expr Posted = S.Context.bool_val(true);
  Looks Seen = looksAt(*P.Call);
  z3::expr Result = fresh(P.Call->getType());
  Values.insert_or_assign(P.Call, Result);
  // A list that fails may have been posted in part.
  if ((Seen.AtZero || Seen.Otherwise) && P.Requests.size() == 1 && P.Whole)
    Posted = Result == 0;

  std::optional<z3::expr> Flags;
  if (P.WorkRequest && P.Requests.size() == 1) {
    Pointer At = *P.WorkRequest;
    At.shift(layout::FlagsAt, layout::FlagsAt);
    if (int C = S.Memory.at({At}, 4); C >= 0)
      Flags = Now[S.cell(C)];
  }
  // A request on the heap or in a container has no cells.
  auto stored = [&](const Value *V) { return V && S.T.Tree.dominates(V, P.Call); };
  auto flag = [&](std::uint64_t Bit, std::optional<bool> Known, const Value *Stored) {
    if (Known)
      return S.Context.bool_val(*Known);
    if (stored(Stored))
      return z3::mod(asUnsigned(value(Stored), 32) / number(Bit), number(2)) == 1;
    if (Flags)
      return z3::mod(*Flags / number(Bit), number(2)) == 1;
    return fresh("f") == 1;
  };
  z3::expr Completions = number(0), BeforeLast = number(0), Inline = S.Context.bool_val(true);
  for (const PostSite::Request &R : P.Requests) {
    BeforeLast = Completions;
    z3::expr Signaled = P.SignalsAll ? S.Context.bool_val(true) : flag(SendSignaled, R.Signaled, R.Flags);
    Completions = Completions + z3::ite(Signaled, number(1), number(0));
    Inline = Inline && flag(SendInline, R.Inline, R.Flags);
  }
  if (!P.Whole) {
    z3::expr More = fresh("n");
    Assumed.push_back(More >= 0);
    Completions = Completions + More;
  }
  std::vector<unsigned> Queues = S.queuesOf(P);
  z3::expr Pending = Now[S.pending()] == 1;
  // Of an array of queues only the one in focus is counted.
  z3::expr Here = P.Of.Queue == None ? S.Context.bool_val(true) : inFocus(*P.Call, P.Of) == Now[S.focus()];
  z3::expr Id = fresh("i");
  if (P.Requests.size() == 1 && stored(P.Requests[0].Id))
    Id = idOf(*P.Requests[0].Id, P);
  else if (P.WorkRequest && P.Requests.size() == 1)
    if (int C = S.Memory.at({*P.WorkRequest}, 8); C >= 0)
      Id = Now[S.cell(C)];
  z3::expr WithId = z3::ite(Id == Now[S.id()], Completions, number(0));
  if (S.HasIds && (P.Requests.size() != 1 || !P.Whole)) {
    WithId = fresh("n");
    Assumed.push_back(WithId >= 0 && WithId <= Completions);
  }

  // A completion of another queue pair in the same queue may come before that of the followed request.
  z3::expr Overtakes = S.Context.bool_val(false);
  for (const PostSite &Other : S.T.Posts)
    if (S.follows(Other) && !S.samePair(Other, P))
      for (unsigned Q : S.queuesOf(Other))
        if (std::find(Queues.begin(), Queues.end(), Q) != Queues.end())
          Overtakes = Overtakes || Now[S.site()] == number(S.number(Other));
  State Old = Now;
  Now[S.left()] = z3::ite(Posted && Here && Pending && Overtakes, Old[S.left()] + Completions, Old[S.left()]);
  for (unsigned Q : Queues)
    Now[S.out(Q)] = z3::ite(Posted && Here, Old[S.out(Q)] + Completions, Old[S.out(Q)]);
  if (S.HasIds) {
    Now[S.outId()] = z3::ite(Posted, Old[S.outId()] + WithId, Old[S.outId()]);
    z3::expr Between = Posted && Pending && !inOrder(P, Now);
    Now[S.leftId()] = z3::ite(Between, Old[S.leftId()] + WithId, Old[S.leftId()]);
    z3::expr Top = P.Requests.size() == 1 && P.Whole ? asUnsigned(Id, 64) : fresh("n");
    Now[S.topId()] = z3::ite(Posted && Top > Old[S.topId()], Top, Old[S.topId()]);
    Now[S.topBefore()] = z3::ite(Between && Top > Old[S.topBefore()], Top, Old[S.topBefore()]);
  }
  if (!S.follows(P) || Queues.size() != 1)
    return;

  z3::expr Begins = Posted && Here && !Pending && !Inline && fresh("t") == 1;
  if (S.HasIds)
    Begins = Begins && Id == Now[S.id()];
  auto set = [&](unsigned I, z3::expr E) { Now[I] = z3::ite(Begins, E, Now[I]); };
  set(S.pending(), number(1));
  set(S.calls(), number(0));
  set(S.left(), Old[S.out(Queues[0])] + BeforeLast + 1);
  set(S.site(), number(S.number(P)));
  if (S.HasIds) { // which completion is its own, is known of one that asks for it
    z3::expr Never = fresh("n");
    Assumed.push_back(Never >= 1);
    set(S.leftId(),
        P.Requests.size() == 1 && P.Whole ? z3::ite(Completions == 1, Old[S.outId()] + 1, Never) : Never);
    set(S.topBefore(), (P.Requests.size() == 1 ? Old : Now)[S.topId()]);
  }
  z3::expr Offset = fresh("o"), Length = fresh("l");
  if (P.Segment) {
    auto field = [&](std::int64_t At, std::int64_t Size) {
      Pointer Place = *P.Segment;
      Place.shift(At, At);
      return S.Memory.at({Place}, Size);
    };
    if (int C = field(layout::SgeAddr, 8); C >= 0)
      Offset = Old[S.cell(C)];
    if (int C = field(layout::SgeLength, 4); C >= 0)
      Length = asUnsigned(Old[S.cell(C)], 32);
  }
  // A request in an array has no cells. And the field has distances in its one block only.
  const bool IsKnown = P.Address && S.T.Tree.dominates(P.Address, P.Call);
  if (IsKnown && P.Buffer)
    Offset = distance(*P.Address);
  else if (!P.Buffer)
    Offset = (IsKnown ? place(*P.Address, nullptr) : std::nullopt).value_or(fresh("o"));
  if (P.Length)
    Length = number(*P.Length);
  Assumed.push_back(Length >= 0);
  set(S.offset(), Offset);
  set(S.length(), Length);
  for (unsigned N = 0; N < S.Snapped.size(); ++N) {
    auto [Phi, C] = S.Snapped[N];
    if (!Phi)
      set(S.then(N), Old[S.cell(C)]);
    else if (S.recalls(P, N))
      set(S.then(N), value(Phi));
  }
}

/// Each call posts a request, and waits for the one of so many calls before it: the first that came behind
/// the followed request says that this one is complete.
void Region::wait(const CallBase &Call, const z3::expr &Meant, State &Now) {
  z3::expr Waits = waysWhereFailed(Call).empty() ? Meant : Meant && value(&Call) == number(0);
  z3::expr Over = Waits;
  if (const Value *Count = leftOut(Call)) {
    Now[S.calls()] = z3::ite(Waits, Now[S.calls()] + 1, Now[S.calls()]);
    Over = Waits && Now[S.calls()] > value(Count);
  }
  Now[S.pending()] = z3::ite(Over, number(0), Now[S.pending()]);
}

/// How many completions a result above zero stands for.
z3::expr Region::takenBy(const PollSite &P, const z3::expr &Result) {
  z3::expr Most = P.Most ? value(P.Most) : number(1);
  Assumed.push_back(Result <= z3::ite(Most > 0, Most, number(0)));
  // Who asks at most whether the result is zero takes it that polling does not fail.
  auto *Constant = dyn_cast_or_null<ConstantInt>(P.Most);
  if (!looksAt(*P.Call).Otherwise && !tellsFailedPolls(*P.Call, Constant ? Constant->getZExtValue() : 0))
    Assumed.push_back(Result >= 0);
  return z3::ite(Result > 0, Result, number(0));
}

void Region::poll(const PollSite &P, State &Now) {
  z3::expr Result = fresh(P.Call->getType());
  Values.insert_or_assign(P.Call, Result);
  z3::expr Taken = P.Started ? z3::ite(Result == 0, number(1), number(0)) : takenBy(P, Result);
  for (unsigned Q = 0; Q < S.Queues.size(); ++Q)
    if (S.Queues[Q].Queue == P.Queue && P.Cq && S.Memory.firm(*P.Cq)) {
      if (S.Queues[Q].Closed)
        Assumed.push_back(z3::implies(Reach.at(P.Call->getParent()),
                                      Taken <= z3::ite(Now[S.out(Q)] > 0, Now[S.out(Q)], number(0))));
      take(Now, Q, Taken);
      if (S.HasIds && S.Queues[Q].Closed)
        return takeWithId(Now, P, Taken);
    } else if (S.Queues[Q].Elements && S.Queues[Q].Queue == P.Of.Queue && S.indexed(*P.Call, P.Of)) {
      z3::expr Here = inFocus(*P.Call, P.Of) == Now[S.focus()];
      if (S.Queues[Q].Closed)
        Assumed.push_back(z3::implies(Reach.at(P.Call->getParent()) && Here,
                                      Taken <= z3::ite(Now[S.out(Q)] > 0, Now[S.out(Q)], number(0))));
      take(Now, Q, z3::ite(Here, Taken, number(0)));
    }
  // Of the ids that are taken there nothing is known.
  if (int B = S.batchOf(P); B >= 0)
    Now[S.filled(B)] = number(0);
}

/// A call that waits for the end of a thread: what that has taken at least is taken.
void Region::join(const CallBase &Call, State &Now) {
  for (const TakenByEnd &End : S.Ends)
    for (unsigned Q = 0; Q < S.Queues.size() && End.Call == &Call; ++Q)
      if (S.Queues[Q].Queue == End.Queue) {
        z3::expr More = fresh("n");
        Assumed.push_back(More >= 0 && More <= z3::ite(Now[S.out(Q)] > 0, Now[S.out(Q)], number(0)));
        take(Now, Q, More);
        z3::expr Waited = Reach.at(Call.getParent());
        for (const CallBase *Tested : End.IfZero)
          Waited = Waited && value(Tested) == number(0);
        Assumed.push_back(z3::implies(Waited, Now[S.taken(Q)] >= number(End.Least)));
      }
}

/// Of the completions taken, some may carry the id in focus: no more than are out.
void Region::takeWithId(State &Now, const PollSite &P, const z3::expr &Taken) {
  z3::expr Some = fresh("n");
  Assumed.push_back(Some >= 0 && Some <= Taken &&
                    Some <= z3::ite(Now[S.outId()] > 0, Now[S.outId()], number(0)));
  Now[S.outId()] = Now[S.outId()] - Some;
  z3::expr Left = Now[S.leftId()] - Some;
  Now[S.pending()] = z3::ite(Now[S.pending()] == 1 && Left > 0, number(1), number(0));
  Now[S.leftId()] = Left;
  // What an earlier poll filled counts no more, even where this one finds nothing.
  if (int B = S.batchOf(P); B >= 0)
    Now[S.filled(B)] = Taken, Now[S.withId(B)] = Some;
}

/// The followed request and this one are of one queue pair.
z3::expr Region::inOrder(const PostSite &P, const State &Now) {
  z3::expr Same = S.Context.bool_val(false);
  for (const PostSite &Other : S.T.Posts)
    if (S.samePair(Other, P) && P.Of.Queue == None)
      Same = Same || Now[S.site()] == number(S.number(Other));
  return Same;
}

void Region::take(State &Now, unsigned Queue, const z3::expr &Some) {
  z3::expr Here = S.Context.bool_val(false);
  for (const PostSite &P : S.T.Posts)
    if (S.follows(P) && S.queuesOf(P) == std::vector{Queue})
      Here = Here || Now[S.site()] == number(S.number(P));
  z3::expr Left = z3::ite(Here, Now[S.left()] - Some, Now[S.left()]);
  Now[S.taken(Queue)] = Now[S.taken(Queue)] + Some;
  Now[S.out(Queue)] = z3::ite(Now[S.out(Queue)] > Some, Now[S.out(Queue)] - Some, number(0));
  Now[S.pending()] = z3::ite(Now[S.pending()] == 1 && Left > 0, number(1), number(0));
  Now[S.left()] = Left;
}

} // namespace rdma::clang_ir
