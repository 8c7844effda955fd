// Which queue pair a post goes to, and which nodes that leads to.
#include "analyzer/clang/memory/Kin.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/IR/InstIterator.h>

#include <functional>

namespace rdma::clang_ir {

using namespace llvm;

static std::string quoted(const std::string &Path) { return "'" + Path + "'"; }

/// Where its pointer is kept: what is found there is one queue pair.
static std::string placeOf(const Origin &Qp) {
  return Qp.Holder ? Qp.Holder->Key + "+" + std::to_string(Qp.HolderOffset) : Qp.Key;
}

/// One way for each node that the queue pair may lead to. An element of an array that is not known, and what
/// is found in a list, is one of several queue pairs: two are enough to tell two requests apart.
std::vector<QueuePairId> Translator::pairsTo(const Origin &Qp, const CallBase &Call,
                                             const std::string &Suffix) {
  const std::string Path = Where.nameOf(Qp);
  bool Several = Qp.Many || Path.find("[*]") != std::string::npos;
  Stock.Seen.QueuePairs.add(In.Entry, Path, siteOf(Call.getDebugLoc()));
  std::vector<NodeId> Targets, Others;
  if (std::vector<std::string> Peers = Stock.T.peers(In.Entry, Path); !Peers.empty()) {
    std::string All;
    for (const std::string &Peer : Peers) {
      All += (All.empty() ? "" : ", ") + quoted(Peer);
      const std::vector<NodeId> &Copies = Stock.copies(Peer);
      // A copy that stands for more of its kind reaches others of them too.
      bool Among = Stock.P.Threads[In.Index].Many;
      for (NodeId N : Copies)
        if (N != In.Home || Copies.size() == 1 || Among)
          Targets.push_back(N);
    }
    if (Targets.size() > 1)
      remark(Call, {words::SeveralNodes, Path, All}, true);
    if (Several)
      Others = Targets;
  } else {
    if (Stock.T.given())
      remark(Call, {words::PeerNotGiven, Path, In.Entry}, false);
    Targets.push_back(Stock.peerOf(In.Home, Qp.Key, Path));
    if (Several)
      Others.push_back(Stock.peerOf(In.Home, Qp.Key + "'", Path + " (another)"));
  }
  std::vector<QueuePairId> Pairs;
  const std::string Name = Stock.nameApart(In.Index, Path, placeOf(Qp)) + Suffix;
  for (NodeId Target : Targets) {
    Pairs.push_back(Stock.queuePair(In.Index, Name, Target));
    if (!Several && Targets.size() == 1 && !(Qp.Holder && Qp.Holder->Many))
      Stock.keepsPair(Pairs.back(), placeOf(Qp));
  }
  for (NodeId Target : Others)
    Pairs.push_back(Stock.queuePair(In.Index, Name + " (another)", Target));
  return Pairs;
}

/// The queue pairs that the thread names, before any of them is used: `rail[i]` may be `rail[0]`.
void Translator::findPairs() {
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call ? meaning(*Call) : nullptr;
    if (!Row || (Row->What != Api::PostSend && Row->What != Api::WrComplete && Row->What != Api::WaitQp &&
                 Row->What != Api::FlushQp))
      continue;
    for (const Pointer &P : Where.resolve(Call->getArgOperand(0)))
      if (P.Base->named())
        NamedPairs.emplace(P.Base->Key, P.Base);
  }
}

/// Which queue pair it is cannot be said: any that the thread names, or two others, to any node.
std::vector<QueuePairId> Translator::anyPair(const CallBase &Call) {
  Stock.Obscure.insert(In.Index);
  remark(Call, words::AnyPair, false);
  doubt(Call, words::PairLost);
  Stock.Seen.QueuePairs.addUnknown(In.Entry, siteOf(Call.getDebugLoc()));
  std::vector<QueuePairId> All;
  for (const auto &[Key, Known] : NamedPairs)
    for (QueuePairId Pair : pairsTo(*Known, Call))
      All.push_back(Pair);
  std::vector<NodeId> Targets;
  for (const TopologyNode &N : Stock.T.Nodes)
    for (NodeId Copy : Stock.copies(N.Name))
      if (Copy != In.Home || Stock.T.Nodes.size() == 1)
        Targets.push_back(Copy);
  if (Targets.empty())
    Targets.push_back(Stock.peerOf(In.Home, "?" + In.Entry, "an unknown queue pair"));
  for (NodeId Target : Targets)
    for (const char *Name : {"unknown queue pair", "another unknown queue pair"})
      All.push_back(Stock.queuePair(In.Index, Name, Target));
  return All;
}

std::vector<QueuePairId> Translator::queuePairs(const Value *Qp, const CallBase &Call) {
  std::vector<QueuePairId> All;
  auto add = [&](const Origin &Base) {
    std::vector<QueuePairId> Pairs = pairsTo(Base, Call);
    UsedPairs.try_emplace(Base.Key, UsedPair{&Base, Pairs, &Call});
    for (QueuePairId Pair : Pairs)
      if (std::find(All.begin(), All.end(), Pair) == All.end())
        All.push_back(Pair);
  };
  PointerSet Found = Where.resolve(Qp);
  // An object of the program's own is a queue pair only where nothing else may be the one meant.
  auto MayBe = [](const Pointer &P) { return !P.Base->named() || mayBeQueuePair(*P.Base); };
  if (any_of(Found, MayBe))
    erase_if(Found, std::not_fn(MayBe));
  for (const Pointer &P : Found) {
    if (!P.Base->named())
      return anyPair(Call);
    add(*P.Base);
    if (std::string Path = Where.nameOf(*P.Base); Path.find("[*]") != std::string::npos)
      for (const auto &[Key, Other] : NamedPairs)
        if (Other != P.Base && pathMatches(Path, Where.nameOf(*Other)))
          add(*Other);
  }
  return All.empty() ? anyPair(Call) : All;
}

} // namespace rdma::clang_ir
