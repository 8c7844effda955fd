// What it rests on, whatever comes between its events, that a pair goes wrong.
#pragma once

#include "analyzer/core/LockWord.h"
#include "analyzer/core/Takers.h"
#include "analyzer/core/Verdict.h"

#include <map>
#include <optional>
#include <set>

namespace rdma {

using StatementKey = std::pair<ThreadIndex, StatementId>;
/// Statements that may use other memory, each with those that it goes wrong with; None: nobody in particular.
using Partners = std::map<StatementKey, std::set<StatementKey>>;

/// Facts that it finds missing are added to the verdict's.
class RestsOn {
public:
  /// V is what is decided of the program.
  RestsOn(const Analysis &Base, Verdict &V, Takers &Who)
      : Base(Base), P(Base.Code), V(V), M(Base.M), Who(Who) {}

  /// A fact without which there is no saying that the events go wrong, or None.
  LostFactId lossIn(const Violation &X);
  /// A lock word is given back by this write, if it writes what the word is while nobody holds the lock.
  LostFactId valueIn(const Violation &X);
  /// The memory that the event uses may be other memory, where nothing is bad.
  LostFactId choiceIn(const EventRef &E, const Partners &Bad);
  /// Which requests of the earlier event's call ask for a completion, where some do and some do not.
  LostFactId signalIn(const Violation &X);
  /// In the pairs for which no fact has been found missing so far.
  Partners inDefects() const;
  /// What a thread that takes completions may have told where the statement reads.
  LostFactId beside(ThreadIndex T, const Statement &Here);

private:
  const Statement &at(const EventRef &E) const { return P.Threads[E.Thread].Statements[E.Statement]; }
  LostFactId restsOnOperation(const Violation &X) const;
  LostFactId restsOnRequests(const Violation &X) const;
  LostFactId restsOnAwaited(const Violation &X) const;
  const std::map<Access, LostFactId> &awaitedIn(ThreadIndex T);
  std::map<Access, LostFactId> awaitedBefore(const EventRef &E);
  bool writesBehind(const EventRef &E, const Access &Word) const;
  LostFactId restsOnTurn(const Violation &X);
  LostFactId restsOnPair(const Violation &X);
  bool isCrossed(const EventRef &E) const;
  LostFactId restsOnFinding(const Violation &X);
  bool isFoundElsewhere(const EventRef &Request, CompletionQueueId Queue);
  bool takesBetween(const Violation &X, CompletionQueueId Queue) const;
  bool isForSameBytes(const Violation &X, const EventRef &First, const EventRef &Second) const;
  LostFactId restsOnBytes(const Violation &X, const EventRef &First, const EventRef &Second);
  unsigned chosenBy(const StatementKey &S) const;
  bool isChoice(const StatementKey &S) const;
  std::vector<StatementKey> alternatives(const StatementKey &S) const;
  bool goesWrong(const StatementKey &S, const Partners &Bad) const;
  void addPartners(const Violations &List, unsigned I, Partners &All) const;
  const Partners &inOpenPairs();

  const Analysis &Base;
  const Program &P;
  Verdict &V;
  const Model M;
  Takers &Who;
  std::map<ObjectId, LostFactId> PartOf;
  std::map<std::pair<ObjectId, ObjectId>, LostFactId> OneMemory;
  std::map<std::pair<ThreadIndex, unsigned>, LostFactId> Choices;  ///< by the instruction
  std::map<std::pair<ThreadIndex, unsigned>, LostFactId> Crossed;  ///< by the instruction
  std::map<std::pair<ThreadIndex, unsigned>, LostFactId> Signaled; ///< by the instruction
  std::map<std::pair<ThreadIndex, unsigned>, bool> FoundElsewhere; ///< by the instruction
  std::optional<Partners> InOpenPairs;                             ///< filled when it is asked for first
  std::map<Access, LockWord> Locks;
  std::map<EventKey, LostFactId> GivenBack;
  std::map<ThreadIndex, LostFactId> ToldBy;
  std::map<ThreadIndex, std::map<Access, LostFactId>> Awaited;
};

} // namespace rdma
