// What a verbs program can say of a random litmus program.
#include "Sources.h"

#include <deque>

namespace rdma::test {
namespace {

class Rewriter {
public:
  explicit Rewriter(std::uint64_t Seed) : Random(Seed) {}

  void rewrite(const Program &P, Thread &T) {
    Open.clear();
    Fenced.clear();
    for (Statement &S : T.Statements)
      if (S.Op.Pair != None && S.Op.Kind != OperationKind::RemoteFence && S.Op.Kind != OperationKind::Poll)
        request(P, S.Op);
      else
        other(S.Op);
  }

private:
  void request(const Program &P, Operation &Op) {
    CompletionQueueId Queue = P.QueuePairs[Op.Pair].Queue;
    if (!Op.Unsignaled)
      Open.push_back({Queue, Op.Id != None});
    Op.Id = None;
    Op.Fenced |= Fenced.erase(Op.Pair) != 0;
  }

  void other(Operation &Op) {
    if (Op.Kind == OperationKind::RemoteFence) {
      if (Random() % 4)
        Fenced[Op.Pair] = true;
      Op = {};
    } else if (Op.Kind == OperationKind::Wait) {
      Op = Op.Constant ? Operation() : polls();
    } else if (Op.Kind == OperationKind::Poll) {
      take(Op.Queue, Op.Count);
    }
  }

  /// The completions of one queue up to the youngest that is waited for.
  Operation polls() {
    std::size_t Last = Open.size();
    while (Last > 0 && !Open[Last - 1].Waited)
      --Last;
    if (Last == 0)
      return {};
    CompletionQueueId Queue = Open[Last - 1].Queue;
    unsigned Count = 0;
    for (std::size_t I = 0; I < Last; ++I)
      Count += Open[I].Queue == Queue;
    take(Queue, Count);
    return {.Kind = OperationKind::Poll, .Queue = Queue, .Count = Count};
  }

  void take(CompletionQueueId Queue, unsigned Count) {
    for (auto I = Open.begin(); I != Open.end() && Count > 0;)
      if (I->Queue == Queue)
        I = Open.erase(I), --Count;
      else
        ++I;
  }

  struct Completion {
    CompletionQueueId Queue;
    bool Waited;
  };
  std::mt19937_64 Random;
  std::deque<Completion> Open;
  std::map<QueuePairId, bool> Fenced;
};

} // namespace

Program inVerbs(const RandomProgram &Random, std::uint64_t Seed) {
  Program P = Random.parse();
  Rewriter R(Seed);
  for (Thread &T : P.Threads)
    R.rewrite(P, T);
  P.WorkIds.clear();
  return P;
}

} // namespace rdma::test
