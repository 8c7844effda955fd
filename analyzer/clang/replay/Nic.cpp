#include "analyzer/clang/replay/Nic.h"

#include <algorithm>

namespace rdma::clang_ir {

namespace {

enum class Answer : std::uint8_t { No, Maybe, Yes };

Answer reportsTo(const Request &R, std::optional<CompletionQueueId> Queue, std::optional<BlockId> Cq) {
  if (R.Cq && Cq)
    return *R.Cq == *Cq ? Answer::Yes : Answer::No;
  if (R.Queue && Queue)
    return *R.Queue == *Queue ? Answer::Yes : Answer::No;
  return Answer::Maybe;
}

} // namespace

void Nic::post(Request R) {
  ++Changes;
  Out.push_back(std::move(R));
  if (Out.size() > Depth)
    Out.pop_front();
  Asked.clear();
}

std::optional<Request> Nic::poll(const llvm::CallBase &Call, std::optional<CompletionQueueId> Queue,
                                 std::optional<BlockId> Cq) {
  if (++Asked[&Call] < Patience)
    return std::nullopt;
  // The oldest of each queue pair comes first there; the queue pair that posted last is the quick one.
  std::map<BlockId, const Request *> Oldest;
  const Request *Found = nullptr;
  bool Sure = false;
  for (const Request &R : Out) {
    Answer Here = reportsTo(R, Queue, Cq);
    if (!R.Signaled || Here == Answer::No || !Oldest.try_emplace(R.Pair, &R).second)
      continue;
    if (Here == Answer::Yes || !Sure)
      Found = &R;
    Sure |= Here == Answer::Yes;
  }
  if (!Found)
    return std::nullopt;
  Asked.clear();
  ++Changes;
  Request Done = *Found;
  std::size_t Last = 0;
  while (&Out[Last] != Found)
    ++Last;
  // What was posted before it there is complete too; so may be whatever could have reported here.
  std::deque<Request> Left;
  for (std::size_t I = 0; I < Out.size(); ++I) {
    bool Complete = Out[I].Pair == Done.Pair && I <= Last;
    if (!Complete && reportsTo(Out[I], Queue, Cq) != Answer::Maybe)
      Left.push_back(std::move(Out[I]));
  }
  Out = std::move(Left);
  return Done;
}

} // namespace rdma::clang_ir
