// The program's nodes, objects and queue pairs while threads are extracted one after another.
#pragma once

#include "analyzer/clang/memory/Pointers.h"
#include "analyzer/clang/program/Topology.h"
#include "analyzer/clang/translate/Exchanged.h"
#include "ir/Program.h"

#include <map>
#include <set>
#include <tuple>

namespace rdma::clang_ir {

/// A post of a message, or of a buffer to receive one, and what is to be said of it if it meets no other.
struct MessageSite {
  QueuePairId Pair;
  Site Where;
  Said Text;
};

class Inventory {
public:
  Inventory(Program &P, const Topology &T, const llvm::Module &M);

  /// The copies of a topology node: three stand for any number of them. Or, by "node#2", one of those that
  /// are told apart.
  const std::vector<NodeId> &copies(const std::string &Name) const { return Copies.at(Name); }
  NodeId addNode(const std::string &Name, unsigned Count);

  /// A block of memory of the process on this node.
  ObjectId object(NodeId Home, const Origin &What);
  /// Memory there that has no name; one object for each origin of the address.
  ObjectId anything(NodeId Home, const std::string &Name);
  /// The same where the address has no origin either: two such pieces need not be one.
  ObjectId nameless(NodeId Home, const std::string &Called = "memory of unknown origin");
  /// A location that only one operation touches.
  ObjectId fresh(NodeId Home);
  /// A location that stands for an event of the process at a place, such as the start of a thread there.
  ObjectId flag(NodeId Home, const std::string &Place, const std::string &Name);
  /// The node that messages outside RDMA go through.
  NodeId outside();
  bool isOutside(NodeId N) const { return N == Outside; }
  /// Where the messages of a thread arrive at its peer.
  ObjectId mailbox(NodeId Home, ThreadIndex From);
  /// "page", "ctx->buf", "inbox.ready": what a topology calls memory of a node.
  Access named(NodeId Home, const std::string &Name);

  /// The node at the other end of a queue pair that no topology describes.
  NodeId peerOf(NodeId Home, const std::string &Key, const std::string &Name);
  /// A thread may call several things by one name: what the second is called.
  std::string nameApart(ThreadIndex Owner, const std::string &Path, const std::string &Place);
  QueuePairId queuePair(ThreadIndex Owner, const std::string &Name, NodeId Target);
  /// The thread's queue pair is kept in this place of its process and is the only one there.
  void keepsPair(QueuePairId Pair, const std::string &Place);
  /// Numbers the queue pairs that several threads use, when all threads are known.
  void numberShared();
  CompletionQueueId completionQueue(ThreadIndex Owner, const std::string &Key);
  /// What its thread calls it.
  const std::string &keyOf(CompletionQueueId Queue) const;
  /// Does one thread only post what this queue reports?
  bool onlyPoster(CompletionQueueId Queue) const;
  WorkId workId(const std::string &Name);

  /// The NIC or another thread can touch it, so the CPU's accesses to it matter.
  void expose(ObjectId O);
  void exposeRemotely(ObjectId O);
  bool exposed(ObjectId O) const;
  /// It stands for one in each thread, which no other thread can touch.
  bool isOfEachThread(ObjectId O) const { return OfEachThread.contains(O); }
  /// What a thread reads that may find completions: flags of its own, one for each queue that it polls (None:
  /// not known), one for events.
  struct Finding {
    CompletionQueueId Queue = None; ///< None: of any
    bool IsEvent = false;
    auto operator<=>(const Finding &) const = default;
  };
  ObjectId news(ThreadIndex Reader, Finding What);
  std::map<ObjectId, Finding> News;
  /// The variable of the node's program that this names in a topology; null: none.
  const llvm::GlobalVariable *global(const std::string &Node, const std::string &Name) const;
  /// Memory named by the topology that no entry of its node mentions.
  std::vector<RemoteName> unseen() const;
  /// The variable that the object is; null: none, or several.
  const llvm::GlobalVariable *variable(ObjectId O) const;
  /// What memory of the node is called: variables of its program, and what its threads use.
  std::vector<std::string> namesOn(const std::string &Node) const;

  Program &P;
  const Topology &T;
  PathsInUse Seen;                          ///< what a topology can speak of
  std::map<std::string, Exchanged> Members; ///< by entry; while a topology is being written
  bool proposing() const { return !T.given() && !T.Nodes.empty(); }
  /// What set-up code does and no thread, by the memory it touches; empty: any.
  std::vector<std::vector<ObjectId>> LeftOut;
  /// Statements behind which a thread ends by exit or abort: nothing is owed there.
  std::map<ThreadIndex, std::set<StatementId>> DeadEnds;
  /// Facts that are lost where a poll has failed, and where it may have or not: a fact may be in both.
  std::set<LostFactId> FailedPolls, PerhapsFailed;
  bool hasFailed(LostFactId Fact) const { return FailedPolls.count(Fact) && !PerhapsFailed.count(Fact); }
  /// Threads of which it is not known what they run, by where they are started.
  std::vector<std::pair<NodeId, Site>> Unfollowed;
  /// What threads send and receive, and threads of which that is not all (translate/MatchMessages.h).
  std::vector<MessageSite> Messages;
  std::set<ThreadIndex> Obscure;
  /// Receives are posted to a queue pair of their own, of this name.
  static std::string receiving(const std::string &Name) { return Name + QueuePair::Receiving; }
  bool receives(QueuePairId Id) const { return P.QueuePairs[Id].receives(); }
  /// The same fact once.
  LostFactId lose(LostFact Fact);

private:
  ObjectId add(NodeId Home, const std::string &Name);
  void describe(ObjectId O, const Origin &What);

  std::map<std::string, std::vector<NodeId>> Copies;
  /// By the node of their process, their target and the place of their pointer.
  std::map<std::tuple<NodeId, NodeId, std::string>, std::set<QueuePairId>> KeptAt;
  std::multimap<std::string, const llvm::GlobalVariable *> Globals; ///< by source name
  std::map<ObjectId, const llvm::GlobalVariable *> Variables;
  std::map<std::string, std::set<std::string>> FilesOfEntries; ///< by the topology's node
  std::map<std::pair<NodeId, std::string>, ObjectId> ByKey, Awaited;
  std::map<std::pair<NodeId, std::string>, NodeId> Peers;
  std::map<std::pair<ThreadIndex, std::string>, std::vector<std::string>> Alike;
  std::map<std::pair<ThreadIndex, std::string>, CompletionQueueId> Queues;
  std::map<std::string, WorkId> WorkIds;
  NodeId Outside = None;
  std::set<ObjectId> Exposed, OfEachThread;
  std::set<std::pair<NodeId, std::uint64_t>> ExposedKin, ExposedParts; ///< of which one is exposed
  std::map<std::string, std::uint64_t> Kin;                            ///< by the name of its type
};

} // namespace rdma::clang_ir
