// One thread: from its entry function, everything inlined, to its graph of statements.
#pragma once

#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/api/WorkRequests.h"
#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/memory/MemoryReader.h"
#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/program/Remarks.h"
#include "analyzer/clang/translate/Callbacks.h"
#include "analyzer/clang/translate/Creators.h"
#include "analyzer/clang/translate/FreshBlocks.h"
#include "analyzer/clang/translate/Joins.h"
#include "analyzer/clang/translate/Polls.h"
#include "analyzer/clang/translate/StartedEntries.h"
#include "analyzer/clang/translate/TakenBeside.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

namespace rdma::clang_ir {

/// The operations of one way to go on; several ways are a choice.
using Way = std::vector<Operation>;
using Ways = std::vector<Way>;

class RemoteFields;

struct ThreadInput {
  llvm::Function &F;
  NodeId Home;
  ThreadIndex Index;
  std::string Entry; ///< as the topology calls it
  /// Of a thread that another starts: the call, and the locations that say that it has started and ended.
  const llvm::CallBase *Start = nullptr;
  ObjectId Started = None, Ended = None;
  std::vector<const Origin *> Statics =
      {};                         ///< what destructors may write when the process ends, by set-up code
  RemoteFields *Fields = nullptr; ///< of this thread, and of all of its process; null in set-up code
  llvm::ArrayRef<std::unique_ptr<RemoteFields>> OfProcess = {};
  Creators *Process = nullptr; ///< null in set-up code
};

class Translator {
public:
  Translator(const ThreadInput &In, Inventory &Stock, RemarkLog &Log, Pointers &Where,
             const llvm::DominatorTree &Tree, const llvm::LoopInfo &Loops)
      : In(In), Stock(Stock), Log(Log), Where(Where), Memory(In.F, Where), Tree(Tree), Loops(Loops) {}

  /// Appends to the statements of the thread In.Index.
  void run();
  const std::vector<Spawn> &spawns() const { return Spawned; }
  const std::vector<JoinSite> &joins() const { return Joined; }
  const std::vector<JoinedRange> &ranges() const { return Ranges; }
  const std::vector<JoinedArray> &arrays() const { return Arrays; }
  /// What was posted and polled, and where: for the counting.
  void describe(CountedThread &T);
  /// Where only one completion queue is polled by all threads of the process: it is that of the pairs which
  /// nothing else is known of. The calls that post to them.
  static void matchOnlyQueue(llvm::MutableArrayRef<CountedThread *> Threads, Inventory &Stock,
                             RemarkLog &Log);
  static void matchUnpolled(llvm::ArrayRef<CountedThread *> Threads, Inventory &Stock);
  static void matchUncollected(llvm::ArrayRef<CountedThread *> Threads, Inventory &Stock);

  // For code that is not part of the program's threads (SetUp.cpp).
  std::vector<const Origin *> destroyed(bool OfThread);
  /// What a function that runs at the end of the process uses.
  std::vector<const Origin *> usedAtExit();
  /// Remarks on what it does beside the threads, or behind the entries that it calls.
  void lookAtSetup(const std::set<const llvm::Function *> &Entries, const StartedEntries &Runs);
  /// Notes the functions of the sources that this one calls, and what the threads run that it starts.
  void noteCalls(StartedEntries &Runs, llvm::SetVector<llvm::Function *> &Called,
                 llvm::SetVector<llvm::Function *> &Routines);

private:
  // The graph (Translator.cpp).
  Thread &thread() { return Stock.P.Threads[In.Index]; }
  StatementId statement(Operation Op, const Site &At, unsigned Depth,
                        const llvm::Instruction *From = nullptr);
  void link(StatementId From, StatementId To);
  StatementId append(StatementId From, const Ways &All, const llvm::Instruction &I, unsigned Depth);
  void emit(const Ways &All, const llvm::Instruction &I);
  void emit(Operation Op, const llvm::Instruction &I) { emit(Ways{{std::move(Op)}}, I); }
  void translate(const llvm::Instruction &I);
  void lookAtLoops();
  void findPolls();
  void finishBlock(const llvm::BasicBlock &Block);
  /// No statement can come between the instruction and the end of its block, but for waits of the runtime if
  /// so told.
  bool quietUntilEnd(const llvm::Instruction &I, bool ButWaits = false);
  void onEdge(const llvm::BasicBlock *Block, unsigned Successor, Ways All, const llvm::Instruction &I);
  void remark(const llvm::Instruction &I, const Said &Text, bool Covered, std::vector<ObjectId> On = {});

  /// The call's requests, or what they are ordered by, are not known as a whole.
  void doubt(const llvm::Instruction &I, const Said &Text);
  void doubtAwaited(const llvm::LoadInst &Load);
  StatementId mark(StatementId From, LostFactId Fact, unsigned Depth);
  /// Anything may happen at the call.
  void markCall(const llvm::Instruction &I, const Said &Text);
  LostFactId loseAll(const llvm::Instruction &I, const Said &Text);
  void markPoll(const llvm::CallBase &Call);
  bool pollsOn(const llvm::CallBase &Call);
  void findWaysPast(const llvm::CallBase &Call);
  void findUnseenWaits();
  void findLastOwners();
  void findThrows();
  std::map<const llvm::CallBase *, bool> CountedAtExits; ///< polls: a sum over their results was placed

  // Loads, stores and atomics of the CPU.
  void load(const llvm::LoadInst &Load);
  void renewedOr(Ways All, const llvm::LoadInst &Load);
  void store(const llvm::StoreInst &Store);
  void compareExchange(const llvm::AtomicCmpXchgInst &Exchange);
  void readModifyWrite(const llvm::AtomicRMWInst &Modify);
  void eitherWay(Ways All, unsigned OnSuccess, const llvm::Instruction &I);
  PointerSet places(const llvm::Value *Pointer);
  std::vector<Access> accesses(const llvm::Value *Pointer, std::int64_t Size);
  Access access(const Pointer &At, std::int64_t Size);
  bool isUnshown(const llvm::Value *Pointer);
  struct FromMemory {
    std::map<const Origin *, unsigned> OneOf = {}; ///< by the number of the pointer that was read
    /// Only what may be anything leads there, and stands for it.
    std::set<const Origin *> Anyway = {};
    unsigned numberOf(const Origin *Base) const {
      auto Found = OneOf.find(Base);
      return Found == OneOf.end() ? None : Found->second;
    }
  };
  FromMemory readFromMemory(const llvm::Value *Pointer, const PointerSet &Places);
  Ways each(OperationKind Kind, const llvm::Value *Pointer, std::int64_t Size,
            std::optional<Expression> Value = {});
  using SizeAt = llvm::function_ref<std::int64_t(const Pointer &)>;
  Ways each(OperationKind Kind, const llvm::Value *Pointer, SizeAt Size,
            std::optional<Expression> Value = {});

  // Calls (TranslateCalls.cpp).
  void call(const llvm::CallBase &Call);
  const ApiRow *meaning(const llvm::CallBase &Call);
  void effects(const llvm::CallBase &Call, const ApiRow &Row);
  bool touchArgument(const llvm::CallBase &Call, unsigned Argument, const ApiRow &Row, OperationKind Kind);
  void reports(const llvm::CallBase &Call, unsigned Argument);
  void notePastOrder(const llvm::CallBase &Post, const ApiRow &Row);
  void noteReplaced(const llvm::Instruction &By, const llvm::Value *Place, std::int64_t Size);
  Ways endOfLife(const llvm::Value *Block);
  void endOfFrames(const llvm::Instruction &I);
  void endOfDynamic(const llvm::Instruction &I, const llvm::Instruction *Since);
  void intrinsic(const llvm::IntrinsicInst &Call);

  // Registered memory (TranslateRegions.cpp).
  void registerMemory(const llvm::CallBase &Call);
  void registerUnder(const llvm::CallBase &Call);
  void registerMessages(const llvm::CallBase &Call);
  void deregister(const llvm::CallBase &Call);
  bool mayEndQueuePairs(const llvm::CallBase &Call);
  bool behindEnd(const llvm::CallBase &Call);
  bool allHaveEnded(const llvm::CallBase &Call);
  bool alwaysBefore(const llvm::CallBase &First, const llvm::CallBase &Then);
  static std::int64_t registeredBytes(const llvm::CallBase &Made);
  bool registeredAgain(const Pointer &Region, const llvm::CallBase &Made);
  std::vector<Access> deregistered(const llvm::CallBase &Call, bool &OnlyOne, bool &Again);

  // Order outside memory (TranslateSync.cpp).
  void synchronise(const llvm::CallBase &Call, const ApiRow &Row);
  void tryLock(const llvm::CallBase &Call, Ways All, unsigned Taken);
  enum class Asked : std::uint8_t { TheFirstTime, AnotherTime, MayBeEither };
  Asked asks(const llvm::CallBase &Call);
  bool mayHoldAlready(const llvm::CallBase &Call);
  bool isText(const llvm::Value *Stream);
  std::string connectionOf(const llvm::CallBase &Call);
  bool writesByAddress(const llvm::CallBase &Call, const ApiRow &Row);
  void message(const llvm::CallBase &Call, const ApiRow &Row);
  void systemCall(const llvm::CallBase &Call);
  bool futex(const llvm::CallBase &Call, std::uint64_t Number);
  void fence(const llvm::Instruction &I);

  // What is not understood (TranslateUnknown.cpp).
  void unknown(const llvm::Instruction &I);
  std::vector<ObjectId> touch(const llvm::Instruction &I);
  static Ways atMost(Ways All);
  void touchFrom(OperationKind Kind, const llvm::CallBase &Call, unsigned Argument);
  std::vector<ObjectId> touchReachable(const llvm::CallBase &Call);
  std::vector<const Origin *> below(const PointerSet &Given);
  PointerSet givenTo(const llvm::CallBase &Call);
  struct Reach {
    std::vector<const Origin *> Blocks;
    bool Anything = false; ///< and what is not known
  };
  Reach reachOf(const Behaviour &Does, const PointerSet &Given);
  Reach reachOf(const llvm::CallBase &Call);
  std::vector<ObjectId> objectsOf(const std::vector<const Origin *> &Blocks);
  void keeps(const llvm::CallBase &Call);
  void remarkKept(const llvm::CallBase &Call, const std::vector<ObjectId> &Touched);
  void inlineAssembly(const llvm::CallBase &Call);
  void unknownFunction(const llvm::CallBase &Call);
  void standardFunction(const llvm::CallBase &Call, const llvm::Function &Callee);
  bool summarised(const llvm::CallBase &Call, const llvm::Function &Callee);
  void linksNodes(const llvm::CallBase &Call, const NodeLinks &Links);
  Said unfollowed(const llvm::Function *Callee);
  bool isGivenVerbs(const llvm::CallBase &Call);
  std::vector<const llvm::Function *> virtualFunctionsBelow(const llvm::CallBase &Call);
  void callbacks(const llvm::CallBase &Call, const ApiRow *Row);

  // Before, beside and behind the threads (SetUp.cpp).
  llvm::SetVector<const Origin *> ownOfThread();
  void destroy(const llvm::Instruction &I, bool Process);
  void exitCall(const llvm::CallBase &Call);
  llvm::SetVector<const llvm::Function *> calledBySetup(const llvm::CallBase &Call);
  void goesOn(const llvm::CallBase &Entry, llvm::StringRef How, const std::string &Name);
  void leftRunning(const llvm::CallBase &Call, const ApiRow *Row);
  void leftToOthers(const llvm::CallBase &Call);
  void mayKeep(const llvm::CallBase &Call);
  struct Started {
    std::vector<const llvm::Function *> Routines;
    PointerSet Argument;
    bool Open = false; ///< it may be another routine
  };
  Started startedBy(const llvm::CallBase &Call, const ApiRow &Row);
  void startedBySetup(const llvm::CallBase &Call, const ApiRow &Row,
                      const std::set<const llvm::Function *> &Entries);

  // Threads (TranslateThreads.cpp).
  void spawnPthread(const llvm::CallBase &Call);
  void startsUnknown(const llvm::CallBase &Call);
  void spawnStd(const llvm::CallBase &Call);
  void spawn(Spawn S);
  void join(const llvm::CallBase &Call);
  void endOfHandle(const llvm::IntrinsicInst &End);
  void findRanges();
  void findLeftLoops();
  void findAbsent();
  void hearOfCompletions(const llvm::CallBase &Call, Inventory::Finding What);
  void say(ObjectId Flag, const llvm::Instruction &I);

  // Requests that calls build (TranslateBuilders.cpp).
  using Builders = std::vector<const llvm::CallBase *>;
  void findBuilders();
  std::optional<Builders> buildersOf(const llvm::CallBase &Complete);
  bool onceBetween(const llvm::CallBase &Start, const llvm::CallBase &Call, const llvm::CallBase &Complete);
  std::optional<WorkChain> built(const Builders &Calls);
  std::optional<std::vector<Segment>> segmentsOf(const llvm::CallBase &Call, bool Inline, bool Listed);
  bool describe(WorkRequest &R, const llvm::CallBase &Call, llvm::StringRef What);
  Ways loads(const Segment &S);
  void build(const llvm::CallBase &Call);
  void postBuilt(const llvm::CallBase &Call);

  // Work requests and completions (TranslateWork.cpp).
  void postSend(const llvm::CallBase &Call);
  WorkChain withFewerWays(WorkChain Chain, std::size_t Pairs);
  void post(const WorkChain &Posted, const llvm::CallBase &Call);
  void postReceive(const llvm::CallBase &Call);
  void unknownPair(const llvm::CallBase &Call);
  void noteMessage(const llvm::CallBase &Call, QueuePairId Pair, const Said &Text);
  void look(const llvm::CallBase &Call);
  void postCm(const llvm::CallBase &Call);
  std::optional<std::vector<Segment>> cmSegments(const llvm::CallBase &Call);
  void receive(const std::vector<WorkRequest> &Requests, const Origin &Qp, const llvm::CallBase &Call);
  void place(const llvm::CallBase &Call, const Ways &All, const Ways &AllButSome = {});
  void placeWait(const llvm::CallBase &Call, Ways All);
  void noteRequest(PostSite &Site, const Pointer &At, bool Receives);
  void notePost(const llvm::CallBase &Call, const std::vector<WorkRequest> &Requests,
                std::vector<QueuePairId> Pairs, const PointerSet &List, bool Whole, bool Receives);
  Ways requestWays(const WorkRequest &R, const llvm::CallBase &Call, QueuePairId Pair);
  Ways segmentWays(const WorkRequest &R, std::uint64_t Opcode, std::optional<std::uint64_t> Flags,
                   const llvm::CallBase &Call, QueuePairId Pair);
  Operation operation(std::uint64_t Opcode, std::uint64_t Flags, const WorkRequest &R);
  struct Local {
    Access At;
    unsigned OneOf = None; ///< as of an operation
  };
  std::vector<Local> locals(const Segment &S, const llvm::CallBase &Call);
  void exposeTaken();
  struct Remote {
    Access At;
    NumberForm Form = {}; ///< of the address, if it is not known which bytes there
  };
  std::vector<Remote> remotes(const WorkRequest &R, std::optional<std::int64_t> Length, QueuePairId Pair,
                              const llvm::CallBase &Call);
  std::vector<Remote> regions(const Sum &Address, const llvm::Value *Whole, const llvm::CallBase &Call,
                              std::optional<std::int64_t> Length, NodeId Target);
  Access unknownRemote(NodeId Target, const llvm::CallBase &Call);
  std::string seeRemote(const Sum &Address, const llvm::CallBase &Call);
  void waitQp(const llvm::CallBase &Call, bool Flush);
  /// The completion queue that a call polls, or None with a remark.
  CompletionQueueId poll(const llvm::CallBase &Call);
  void findPairs();
  std::vector<QueuePairId> anyPair(const llvm::CallBase &Call);
  void tooManyWays(const llvm::CallBase &Call);
  std::vector<QueuePairId> queuePairs(const llvm::Value *Qp, const llvm::CallBase &Call);
  std::vector<QueuePairId> pairsTo(const Origin &Qp, const llvm::CallBase &Call,
                                   const std::string &Suffix = "");
  const Origin *queuePairOf(const llvm::Value *CmId, const llvm::CallBase &Call);

  const ThreadInput In;
  Inventory &Stock;
  RemarkLog &Log;
  Pointers &Where;
  MemoryReader Memory;
  const llvm::DominatorTree &Tree;
  const llvm::LoopInfo &Loops;

  static constexpr unsigned MostWays = 64, MostWaysOfAll = 4 * MostWays;
  std::set<const llvm::CallBase *> MayDoNothing; ///< of the calls of locks
  unsigned Waits = 0;
  bool AllExposed = false;
  StatementId Current = None;
  std::map<const llvm::BasicBlock *, StatementId> Entries;
  struct EdgeStatement {
    Ways All;
    const llvm::Instruction *From;
  };
  std::map<Edge, std::vector<EdgeStatement>> OnEdges;
  std::map<Edge, std::vector<PollsOnEdge>> Polls;
  /// The stack variables that end there.
  std::map<const llvm::BasicBlock *, std::vector<const llvm::CallBase *>> EndOfBlock;
  /// The instruction that each statement comes from, and the numbers of these instructions.
  std::vector<const llvm::Instruction *> Sources;
  std::map<const llvm::Instruction *, unsigned> Numbers;
  const llvm::Instruction *Here = nullptr; ///< what is being translated
  FreshBlocks Fresh;
  /// Pointers of which memory says where they lead, as they are or as they were a round of this phi's loop
  /// earlier, and their numbers.
  using FollowedFrom = std::pair<const llvm::Value *, const llvm::PHINode *>;
  std::map<FollowedFrom, unsigned> Followed;
  /// Numbers of remote addresses, each with the entry of a request that goes there.
  std::map<std::pair<const llvm::SCEV *, std::size_t>, unsigned> RemoteForms;
  unsigned RenewedWords = 0; ///< loads that wait for another number each time
  /// What is not known of the requests that a call posts.
  std::map<const llvm::Instruction *, LostFactId> Doubts;
  /// Where it is not known whether the thread goes there, having taken completions or not.
  std::map<Edge, std::vector<LostFactId>> OnlyPerhaps;
  std::vector<PostSite> Posts;
  std::map<const llvm::CallBase *, const Origin *> CqOfPoll;
  std::vector<Spawn> Spawned;
  bool EndsUnwinding = false; ///< the thread ends by pthread_exit where destructors are to run
  std::vector<JoinSite> Joined;
  std::vector<JoinedRange> Ranges;
  std::vector<JoinedArray> Arrays;

  /// What the thread posts to and polls, to be matched when all of it is known (CompletionQueues.cpp).
  struct UsedPair {
    const Origin *Qp;
    std::vector<QueuePairId> Pairs;
    const llvm::CallBase *Call;
    bool Receives = false;
    bool NeedsSignalAll = false;
  };
  struct UsedQueue {
    const Origin *Cq;
    const llvm::CallBase *Call;
  };
  /// What each ibv_wr_complete posts, and the calls that are in one of them.
  std::map<const llvm::CallBase *, WorkChain> Built;
  std::set<const llvm::CallBase *> Understood;
  std::map<std::string, const Origin *> NamedPairs;
  std::map<std::string, UsedPair> UsedPairs;
  std::map<std::string, UsedQueue> UsedQueues;
  std::map<const llvm::CallBase *, CompletionQueueId> QueueOfPoll;
  std::optional<std::uint64_t> attribute(const Origin &Qp, std::int64_t Offset);
  std::optional<bool> signalsAll(const Origin &Qp);
  /// The call that creates a queue pair, and what its code knows of memory.
  struct Creation {
    const llvm::CallBase *Call;
    Pointers *Where;
    MemoryReader *Memory;
    bool Elsewhere = false;    ///< in another thread, or in main
    bool OneOfSeveral = false; ///< the call there may make more of them
  };
  std::optional<Creation> creation(const Origin &Qp);
  const Origin *createdQueue(const Origin &Qp, bool Receives);
  const llvm::CallBase *endpoint(const Origin &Id);
  const llvm::Value *attributesOf(const llvm::CallBase &Creation);
  const Origin *queueOf(const UsedPair &Pair, bool &Guessed);
  std::string namedQueue(const UsedPair &Pair);
  static const Origin *besideIt(const Origin &Qp, Pointers &Where);
  const Origin *inSameElement(const Origin &Qp);
  const Origin *inSameMember(const Origin &Qp, std::int64_t At);
  const Origin *sameIndex(const UsedPair &Pair);
  /// The element of an array that a pointer is loaded from (QueueFamilies.cpp).
  struct Slot {
    const Origin *Holder;
    std::int64_t At, Stride, End;
    const llvm::Value *Address;
    /// Its elements are pointers to blocks, which all have this name, and it is at Member in each.
    const Origin *Through = nullptr;
    std::int64_t Member = 0;
    bool sameArray(const Slot &Other) const {
      return Holder == Other.Holder && At == Other.At && Stride == Other.Stride && Through == Other.Through &&
             Member == Other.Member;
    }
    /// Where the pointers are that name an element.
    std::vector<Pointer> pointers() const {
      std::vector<Pointer> All{{Holder, At, End == Unbounded ? End : End - 8, At, {Stride}}};
      if (Through)
        All.push_back({Through, Member, Member, Member});
      return All;
    }
    const Origin *lastHolder() const { return Through ? Through : Holder; }
  };
  std::optional<Slot> slotAt(const llvm::Value *Address);
  std::optional<Slot> slotThrough(const llvm::Value *Address, const Pointer &Place);
  std::optional<Slot> slotOf(const llvm::Value *Loaded);
  void matchFamilies(CountedThread &T);
  std::optional<Slot> queueArrayOf(const Slot &Pairs, const llvm::CallBase &Post, const CountedThread &T);
  std::vector<const llvm::Instruction *> storesTo(const Slot &Array);
  bool rearranged(const Slot &Array, llvm::ArrayRef<const llvm::Instruction *> Places);
  bool anyLeadsTo(llvm::ArrayRef<const llvm::Instruction *> Places, const llvm::Instruction &To);
  /// The sum of a number, if there is one, and a constant.
  struct Index {
    const llvm::Value *Variable;
    std::int64_t Constant;
    bool operator==(const Index &) const = default;
  };
  std::optional<Index> indexIn(const Slot &Array, const llvm::Value *Address);
  bool countsRounds(const llvm::Value &Number, const llvm::Instruction &Run);
  struct SetElement {
    const llvm::StoreInst *Set;
    const llvm::CallBase *Made;
    Index Place;
  };
  std::optional<std::vector<SetElement>> setOnce(const Slot &Array, Api Creation);
  const llvm::Value *givenQueue(const llvm::CallBase &Creation, std::int64_t Member);
  bool createdTogether(const Slot &Pairs, const Slot &Queues, bool Receives, const CountedThread &T);
  struct Matched {
    const PostSite *Post;
    Slot Pairs, Queues;
  };
  bool isElement(const Origin &Block, const Slot &Array);
  bool onlyByIndex(const Slot &Array, const llvm::Value *Used);
  bool standsAlone(const Matched &One, const std::vector<Matched> &All, const CountedThread &T);
  void checkType(const Origin &Qp);
  void matchQueues();
};

} // namespace rdma::clang_ir
