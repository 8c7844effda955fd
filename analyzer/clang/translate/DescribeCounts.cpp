// What the counting needs to know of a thread's posts and polls.
#include "analyzer/clang/translate/Translator.h"

#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

void Translator::notePost(const CallBase &Call, const std::vector<WorkRequest> &Requests,
                          std::vector<QueuePairId> Pairs, const PointerSet &List, bool Whole, bool Receives) {
  PostSite Site;
  Site.Call = &Call;
  Site.Pairs = std::move(Pairs);
  Site.Whole = Whole;
  for (const WorkRequest &R : Requests) {
    PostSite::Request Known;
    auto same = [&](std::uint64_t Bit) -> std::optional<bool> {
      if (!R.Flags)
        return std::nullopt;
      bool First = R.Flags->front() & Bit;
      for (std::uint64_t F : *R.Flags)
        if (bool(F & Bit) != First)
          return std::nullopt;
      return First;
    };
    Known.Signaled = Receives ? true : same(SendSignaled);
    // What is delivered is never inline.
    bool Delivers = Receives || !R.Opcodes || any_of(*R.Opcodes, [](std::uint64_t O) {
                      return O == WrRead || O == WrCompareSwap || O == WrFetchAdd;
                    });
    Known.Inline = Delivers ? false : same(SendInline);
    Known.Flags = R.StoredFlags;
    Known.Id = R.StoredId;
    Site.Requests.push_back(Known);
  }
  bool Single = Requests.size() == 1 && Requests[0].Segments && Requests[0].Segments->size() == 1;
  const bool InList = List.size() == 1 && List[0].Base->named();
  if (Single && (InList || List.empty())) { // without a list, the call's arguments say it
    const Segment &Only = Requests[0].Segments->front();
    if (InList && List[0].exact())
      noteRequest(Site, List[0], Receives);
    if (Only.Address.size() == 1 && Only.Address[0].Base->named())
      Site.Buffer = Only.Address[0].Base;
    Site.Address = Only.Stored;
    Site.Length = Only.Length;
  }
  Posts.push_back(std::move(Site));
}

/// Where its fields are.
void Translator::noteRequest(PostSite &Site, const Pointer &At, bool Receives) {
  if (!Receives)
    Site.WorkRequest = At;
  Contents Held = Memory.read(moved(At, layout::SgList), 8, Site.Call);
  if (Held.size() == 1 && Held[0].What == Content::Kind::Value)
    if (PointerSet Entry = Where.resolve(Held[0].V); Entry.size() == 1 && Entry[0].exact())
      Site.Segment = Entry[0];
}

void Translator::describe(CountedThread &T) {
  for (PostSite &Site : Posts) {
    // Signals all when every queue pair that it may be does.
    bool All = !Site.Pairs.empty();
    for (QueuePairId Pair : Site.Pairs) {
      bool One = false;
      for (const auto &[Key, Used] : UsedPairs)
        if (std::find(Used.Pairs.begin(), Used.Pairs.end(), Pair) != Used.Pairs.end()) {
          Site.Origins.push_back(Used.Qp);
          One = Used.Receives || signalsAll(*Used.Qp).value_or(false);
          Site.MaySignalAll |= Used.Receives || signalsAll(*Used.Qp).value_or(true);
        }
      All &= One;
    }
    Site.SignalsAll = All;
  }
  T.Posts = std::move(Posts);
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call ? meaning(*Call) : nullptr;
    if (!Row || !polls(Row->What))
      continue;
    CompletionQueueId Queue = poll(*Call);
    T.Polls.push_back({Call, Queue, Queue == None ? nullptr : CqOfPoll[Call],
                       Row->What == Api::PollCq ? Call->getArgOperand(1) : nullptr});
    T.Polls.back().Started = Row->What == Api::StartPoll;
    T.Polls.back().AtOnce = Row->What == Api::PollCq && !CountedAtExits[Call] &&
                            single(Memory.constants(Call->getArgOperand(1))) == 1;
  }
  matchFamilies(T);
  for (const PollSite &Poll : T.Polls)
    if (Poll.Queue == None && Poll.Of.Queue == None)
      remark(*Poll.Call, words::PollUnknown, true);
  T.Sources = Sources;
  T.MayDoNothing = std::move(MayDoNothing);
  T.Numbers = Numbers;
  T.Entries.insert(Entries.begin(), Entries.end());
}

} // namespace rdma::clang_ir
