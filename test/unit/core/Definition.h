// Guaranteed-before written out for straight-line threads: what the must-analysis is held against.
#pragma once

#include "ir/SubEvents.h"

#include <algorithm>
#include <deque>

namespace rdma {
using enum EventKind;

/// gb of a thread without branches, by ROBUST Def. 6 (and 12): the base relation, then its closure.
class Definition {
public:
  Definition(const Program &P, Model M) : P(P) {
    const Thread &T = P.Threads[0];
    for (StatementId S = 0; S < T.Statements.size(); ++S)
      for (SubEvents Way = expand(T.Statements[S].Op).front(); const SubEvent &E : Way)
        Events.push_back({S, E});
    Gb.assign(Events.size(), std::vector<bool>(Events.size()));
    for (std::size_t I = 0; I < Events.size(); ++I)
      for (std::size_t J = I + 1; J < Events.size(); ++J)
        Gb[I][J] = kept(observedOrder(M, kind(I), kind(J)), I, J) || fencedDelivery(I, J);
    addPolls();
    for (std::size_t K = 0; K < Events.size(); ++K)
      for (std::size_t I = 0; I < Events.size(); ++I)
        for (std::size_t J = 0; Gb[I][K] && J < Events.size(); ++J)
          Gb[I][J] = Gb[I][J] || Gb[K][J];
  }

  struct Placed {
    StatementId Statement;
    SubEvent Event;
  };
  std::vector<Placed> Events;
  std::vector<std::vector<bool>> Gb;

private:
  EventKind kind(std::size_t I) const { return Events[I].Event.Kind; }
  bool samePair(std::size_t I, std::size_t J) const {
    return Events[I].Event.Pair == Events[J].Event.Pair && Events[I].Event.Pair != None;
  }
  bool kept(Order O, std::size_t I, std::size_t J) const {
    return O == Order::Kept || (O == Order::SameQueuePair && samePair(I, J));
  }

  /// [nlW];(po & sqp);[nF];(po & sqp);[nlR or nrW]; the nrW of a put that is not inline comes with its nlR.
  bool fencedDelivery(std::size_t I, std::size_t J) const {
    if (kind(I) != nlW || kind(J) != nlR || !samePair(I, J))
      return false;
    for (std::size_t F = I; F < J; ++F)
      if (kind(F) == nF && samePair(I, F))
        return true;
    return false;
  }

  const Operation &operation(std::size_t I) const { return P.Threads[0].Statements[Events[I].Statement].Op; }

  /// The poll is after what the completion tells: the source read of a put, the delivery of anything else.
  void completes(StatementId S, std::size_t Poll) {
    for (std::size_t I = 0; I < Poll; ++I)
      if (Events[I].Statement == S && (kind(I) == nlR || kind(I) == nlW))
        Gb[I][Poll] = true;
  }

  void addPolls() {
    std::vector<std::deque<StatementId>> Waiting(P.QueuePairs.size());
    std::vector<std::vector<StatementId>> Posted(P.QueuePairs.size());
    for (std::size_t I = 0; I < Events.size(); ++I) {
      const Operation &Op = operation(I);
      bool Last = I + 1 == Events.size() || Events[I + 1].Statement != Events[I].Statement;
      if (Op.Kind == OperationKind::Poll) {
        // The completion taken also tells of the requests before it that are unsignaled or waited for.
        while (!Waiting[Op.Pair].empty()) {
          StatementId Done = Waiting[Op.Pair].front();
          Waiting[Op.Pair].pop_front();
          completes(Done, I);
          if (leavesForPolls(P.Threads[0].Statements[Done].Op))
            break;
        }
      } else if (Op.Kind == OperationKind::Wait) {
        for (auto &OnPair : Posted) {
          std::int64_t Left = Op.Constant;
          auto LastNamed = std::find_if(OnPair.rbegin(), OnPair.rend(), [&](StatementId S) {
            return P.Threads[0].Statements[S].Op.Id == Op.Id && Left-- == 0;
          });
          for (auto S = LastNamed; S != OnPair.rend(); ++S)
            completes(*S, I);
        }
      } else if (Op.Pair != None && Op.Kind != OperationKind::RemoteFence && Last) {
        Waiting[Op.Pair].push_back(Events[I].Statement);
        Posted[Op.Pair].push_back(Events[I].Statement);
      }
    }
    // A poll whose requests before it are all unsignaled would wait for ever: the programs below have none.
  }

  const Program &P;
};

} // namespace rdma
