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
  R.Number = Posted++;
  Out.push_back(std::move(R));
  if (Out.size() > Depth)
    Out.pop_front();
  Asked.clear();
}

bool Nic::waitsFor(const Request &New, const Request &Before) const {
  if (New.Pair != Before.Pair)
    return false;
  return New.Fenced || !Before.Writes || New.Writes ||
         std::any_of(Out.begin(), Out.end(), [&](const Request &R) {
           return R.Fenced && R.Pair == New.Pair && R.Number > Before.Number;
         });
}

void Nic::forget() {
  Changes += !Out.empty();
  std::erase_if(Out, [](const Request &R) { return !R.Receives; });
  for (Request &R : Out)
    R.Done = true;
}

void Nic::complete(BlockId Pair, std::uint64_t Before, IsOther Other) {
  for (Request &R : Out)
    if (!R.Receives && !R.Done && (R.Pair == Pair ? R.Number < Before : !Other(R))) {
      R.Done = true;
      ++Changes;
    }
}

void Nic::awaitAllBut(BlockId Pair, std::uint64_t Calls, IsOther Other) {
  std::vector<std::uint64_t> &Earlier = Called[Pair];
  if (!Calls)
    await(Pair, Other);
  else
    complete(Pair, Calls <= Earlier.size() ? Earlier[Earlier.size() - Calls] : 0, Other);
  Earlier.push_back(Posted);
}

/// The oldest of each queue pair comes first there; the queue pair that posted last is the quick one.
const Request *Nic::findComplete(bool Receives, std::optional<CompletionQueueId> Queue,
                                 std::optional<BlockId> Cq) const {
  std::map<BlockId, const Request *> Oldest;
  const Request *Found = nullptr;
  bool Sure = false;
  for (const Request &R : Out) {
    Answer Here = reportsTo(R, Queue, Cq);
    if (R.Receives != Receives || !R.Signaled || Here == Answer::No || !Oldest.try_emplace(R.Pair, &R).second)
      continue;
    if (Here == Answer::Yes || !Sure)
      Found = &R;
    Sure |= Here == Answer::Yes;
  }
  return Found;
}

std::optional<Request> Nic::poll(const llvm::CallBase &Call, std::optional<CompletionQueueId> Queue,
                                 std::optional<BlockId> Cq) {
  if (++Asked[&Call] < Patience)
    return std::nullopt;
  const Request *Found = findComplete(false, Queue, Cq);
  if (!Found)
    Found = findComplete(true, Queue, Cq);
  if (!Found)
    return std::nullopt;
  Asked.clear();
  ++Changes;
  Request Taken = *Found;
  const std::size_t Last =
      std::find_if(Out.begin(), Out.end(), [&](const Request &R) { return &R == Found; }) - Out.begin();
  if (Taken.Receives) {
    Out.erase(Out.begin() + Last);
    std::erase_if(Out, [](const Request &R) { return !R.Receives; }); // the peer may have waited for them
    Hears = true;
    return Taken;
  }
  // What was posted before it there is complete too; so may be whatever could have reported here.
  std::deque<Request> Left;
  for (std::size_t I = 0; I < Out.size(); ++I) {
    bool Complete = !Out[I].Receives && Out[I].Pair == Taken.Pair && I <= Last;
    if (!Complete && (Out[I].Receives || reportsTo(Out[I], Queue, Cq) != Answer::Maybe))
      Left.push_back(std::move(Out[I]));
  }
  Out = std::move(Left);
  return Taken;
}

} // namespace rdma::clang_ir
