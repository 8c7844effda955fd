// Which memory every pointer of a process may point to: inclusion-based (Andersen), over all of its threads
// at once, without regard to the order of what they do.
//
// A pointer is a block and a range of bytes in it; what a block holds is kept per range, so fields are told
// apart, and elements of arrays where their index is known. Threads are instances: a routine started twice
// has variables of its own each time. Every instruction that makes a pointer and is not known makes *any
// memory*; every call that is not known reads and writes all that can be reached from what it is given.
// Memory that the sources do not set up (what an entry is given, what a library fills) holds pointers that
// are named by the path that leads to them: different paths, different memory, unless the sources show
// otherwise.
#pragma once

#include "analyzer/clang/memory/Origin.h"
#include "analyzer/clang/memory/Worklist.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

namespace rdma::clang_ir {

struct FunctionFacts;
/// The least and the most of an index.
using IndexRange = std::pair<std::int64_t, std::int64_t>;
struct ApiRow;
struct NodeLinks;
using InstanceId = unsigned;

/// What an entry is given by its caller, one for each parameter: threads that are given the same share it.
struct GivenObject {
  std::string Key;                              ///< empty: nobody else is given it
  const llvm::GlobalVariable *Global = nullptr; ///< it is this variable
  bool Known = false;                           ///< it is a variable of a caller
};

/// What a value may point to, and who has asked.
struct Held {
  PointerSet All;
  Readers Asked;
};

/// A thread of the process, or (Thread false) a function that stayed a call, for all of its callers.
struct Instance {
  llvm::Function &F;
  std::string Prefix; ///< of the keys of its variables
  FunctionFacts &Facts;
  bool Thread = true;
  bool Setup = false; ///< code of the process that is no thread of the program: main, or what it calls
  bool Twin = false;  ///< another instance of the same code starts like this one
  /// The thread that starts this one, and where; entries have none.
  InstanceId Parent = ~0u;
  const llvm::CallBase *Start = nullptr;
  std::vector<GivenObject> GivenObjects = {};
  llvm::DenseMap<const llvm::Value *, Held> Values{};
  std::map<const llvm::Value *, const Origin *> Variables = {};
  std::map<const llvm::Value *, std::string> Keys = {};
  std::map<std::string, unsigned> Names = {};
};

class PointsTo {
public:
  using FactsSource = std::function<FunctionFacts &(llvm::Function &)>;
  explicit PointsTo(FactsSource Facts) : Facts(std::move(Facts)) {}

  InstanceId add(llvm::Function &F, std::string Prefix, InstanceId Parent = ~0u,
                 const llvm::CallBase *Start = nullptr, bool Twin = false,
                 std::vector<GivenObject> Objects = {});
  /// Code that runs in the process before or beside its threads, to be added behind them: what it puts into
  /// memory is there for them. Entries: functions that it calls or starts as threads.
  void addSetup(llvm::Function &F, const std::set<const llvm::Function *> &Entries);
  /// Requests of other nodes may write these bytes of a variable.
  void addPeersOf(const llvm::GlobalVariable &Global, std::int64_t Begin, std::int64_t Size);
  /// Entries run one at a time, each with the threads that it starts: those of a library of which nobody says
  /// more.
  bool OneAtATime = false;
  /// Does the topology list the function, which is not here, as set-up that is over when it returns?
  std::function<bool(const llvm::Function &)> IsListed;
  /// To the fixpoint.
  void solve();

  const Instance &instance(InstanceId I) const { return *Instances[I]; }
  /// What a pointer, or an address held in an integer, may point to; Null and Number origins included.
  PointerSet of(InstanceId I, const llvm::Value *V);
  /// One step of it: from what the operand of a getelementptr points to. Known: an index that is always one
  /// number where the getelementptr stands.
  using KnownIndex = llvm::function_ref<std::optional<std::int64_t>(const llvm::Value *)>;
  static std::optional<std::int64_t> constantIndex(const llvm::Value *Index);
  /// Within: how far an index goes into an array in a type.
  using IndexBounds =
      llvm::function_ref<IndexRange(const llvm::ArrayType &, IndexRange, const llvm::Value *)>;
  PointerSet ofGep(InstanceId I, const llvm::GEPOperator &Gep, PointerSet From, KnownIndex Known,
                   IndexBounds Within);
  /// One step of integer arithmetic, from what its operands hold.
  using Operands = llvm::function_ref<PointerSet(const llvm::Value *)>;
  PointerSet ofArithmetic(InstanceId I, const llvm::Operator &Op, Operands Of);
  /// Are what comes out only the low bits of the address, which its alignment tells?
  bool isMark(const llvm::User &Op, const Pointer &P) const;
  /// A phi or select; Of is asked for what comes in.
  PointerSet ofMerge(InstanceId I, const llvm::User &Merge, Operands Of);
  /// Does scalar evolution bound this phi?
  bool isRecurrence(InstanceId I, const llvm::User &Merge) const;
  /// What Size bytes at this place may hold.
  PointerSet contents(const Pointer &Where, std::int64_t Size, bool IsPointer);
  /// Is there a write to these bytes in another thread, or in a function that stayed a call?
  bool writtenElsewhere(InstanceId I, const Pointer &Where, std::int64_t Size);
  /// The functions of set-up code that write to these bytes. Nothing: others than the thread may write there
  /// while it runs, too.
  std::optional<std::set<const llvm::Function *>> setUpWriters(InstanceId I, const Pointer &Where,
                                                               std::int64_t Size);
  /// The functions, with what is inlined into them, that write to these bytes; null: one that is not here.
  std::set<const llvm::Function *> writers(const Pointer &Where, std::int64_t Size);
  /// What functions that stayed calls give back.
  PointerSet freedIn(const std::set<const llvm::Function *> &Some);
  /// May a thread read bytes that these functions write, or may a call of one that is not looked into?
  bool threadsRead(const std::set<const llvm::Function *> &WrittenBy);
  /// Does anything write to these bytes that is no instruction of a thread or of set-up code: a function that
  /// stayed a call, other nodes, what a request delivers, a library at any time?
  bool writtenUnseen(const Pointer &Where, std::int64_t Size);
  /// May code outside the sources write to the block, when it is called?
  bool clobbered(const Origin *O) const { return Outside.count(O); }
  bool fromOutside(const Pointer &Where) const;
  /// What entries call the block that set-up code gives them.
  std::vector<const Origin *> givenAs(const Origin *O) const {
    auto Found = GivenAs.find(O);
    return Found == GivenAs.end() ? std::vector<const Origin *>()
                                  : std::vector<const Origin *>(Found->second.begin(), Found->second.end());
  }
  /// With blocks that set-up code shows to be one, as that one.
  PointerSet united(PointerSet All);
  /// May there be a pointer to the block that is not followed?
  /// May a request that the call posts deliver its result, or a message, into some of these bytes?
  bool mayDeliver(InstanceId I, const llvm::CallBase &Post, const Pointer &Into, std::int64_t Size) const;
  bool escaped(const Origin *O) const { return Outside.count(O) || Registered.count(O) || Leaked.count(O); }
  /// Blocks that a pointer of which nothing is known may lead to: those whose addresses were ever kept in
  /// memory, given away, or taken apart.
  std::vector<const Origin *> addressTaken();
  /// Every block that can be reached from these pointers through what memory holds, these included; and any
  /// memory, where the program itself put such a pointer there. What a library keeps there is its own.
  PointerSet reachable(const PointerSet &From);
  /// The nodes that such a function of the library may read and change.
  PointerSet nodesOf(InstanceId I, const llvm::CallBase &Call, const NodeLinks &Links);
  /// The functions that a call may enter; Whole: these are all.
  std::vector<llvm::Function *> callees(InstanceId I, const llvm::CallBase &Call, bool &Whole);

  PointerSet unknown() { return {Pointer{Any, 0, Unbounded, 0, {1}}}; }

  /// A function that stays a call, also one that only code outside the sources may be known to call.
  InstanceId lookInto(llvm::Function &F);

private:
  bool runsBeside(InstanceId I, InstanceId Other) const;
  bool anyWrite(const Pointer &Where, std::int64_t Size, llvm::function_ref<bool(InstanceId Writer)> Is,
                bool AlsoGiven = true);
  bool handsOver(InstanceId By, const Pointer &Where, std::int64_t Size);
  const Origin *variable(Instance &In, const llvm::Value *V, Origin::Kind What);
  const Origin *allocation(InstanceId I, const llvm::CallBase &Call, Origin::Kind What);
  struct Cell {
    Pointer At;
    std::int64_t Size;
    InstanceId Writer;
    PointerSet Held;
  };
  struct Copy {
    Pointer To, From;
    std::int64_t Length; ///< or Unbounded
    InstanceId Writer;
    bool operator==(const Copy &) const = default;
  };
  bool isGivenAs(const Copy &C) const;
  struct Block {
    std::vector<Cell> Cells;
    std::vector<Copy> Copies;
    bool Initialised = false;
    std::vector<const Origin *> Found; ///< what pointers kept here were named, where nobody sets them
    ByteReaders Asked;
    unsigned CopiedFrom = 0; ///< places of it that copies have asked for
    bool written() const { return !Cells.empty() || !Copies.empty(); }
  };
  /// Bytes that somebody asks for, and what they may hold: their copies hold the same, whoever asks for
  /// those.
  struct Place {
    Pointer Where;
    std::int64_t Size;
    bool IsPointer;
    bool Own; ///< what is kept in this block only, whatever other blocks it may be
    Held Now = {};
    std::vector<Place *> Others = {}; ///< Own, of the blocks that it may be, too,
    bool KinKnown = false;            ///< as far as is known now
  };
  using PlaceKey = std::tuple<const Origin *, std::int64_t, std::int64_t, std::int64_t,
                              std::vector<std::int64_t>, std::int64_t, bool, bool>;

  static constexpr InstanceId Initial = ~1u;   ///< writes what globals begin with
  static constexpr InstanceId Peers = ~2u;     ///< other nodes, by their requests
  static constexpr InstanceId Libraries = ~3u; ///< at any time, where they were given it once
  bool bySetup(InstanceId Writer) const;
  void enlist(InstanceId I);
  void round();
  void perform(InstanceId I, const llvm::Instruction &Inst);
  const PointerSet &read(Held &Fact);
  void grow(Held &Fact, const PointerSet &More);
  void grown(const Pointer &At, std::int64_t Size);
  void grown(const Origin *Whole);
  void renamed(const Origin *Block);
  PointerSet transfer(InstanceId I, const llvm::User &U);
  PointerSet ofAll(InstanceId I, const llvm::User &U);
  void measure(InstanceId I, const llvm::User &U);
  void addDistant(PointerSet &All, std::int64_t Least, std::int64_t Most);
  PointerSet ofArgument(InstanceId I, const llvm::Argument &Parameter);
  PointerSet ofCall(InstanceId I, const llvm::CallBase &Call);
  PointerSet mapped(InstanceId I, const llvm::CallBase &Call);
  PointerSet ofUnknownCall(InstanceId I, const llvm::CallBase &Call);
  void apply(InstanceId I, const llvm::Instruction &Inst);
  void applyStore(InstanceId I, const PointerSet &To, const llvm::Value *Stored);
  void applyIntrinsic(InstanceId I, const llvm::IntrinsicInst &Call);
  void applyCall(InstanceId I, const llvm::CallBase &Call);
  void writeGiven(InstanceId I, const llvm::CallBase &Call, const ApiRow &Row);
  void applyRow(InstanceId I, const llvm::CallBase &Call, const ApiRow &Row);
  void keepContext(InstanceId I, const llvm::CallBase &Call, const ApiRow &Row);
  void keepChannel(InstanceId I, const llvm::CallBase &Call);
  void takeEvent(InstanceId I, const llvm::CallBase &Call);
  void deliver(InstanceId I, const llvm::CallBase &Post, const PointerSet &Buffers,
               std::optional<std::int64_t> Length);
  void deliverList(InstanceId I, const llvm::CallBase &Post, const PointerSet &Lists);
  void deliverInto(InstanceId I, const llvm::CallBase &Post, const Pointer &Request, bool Receives);
  void deliverBuilt(InstanceId I, const llvm::CallBase &Call, const ApiRow &Row);
  void deliverCm(InstanceId I, const llvm::CallBase &Call, const ApiRow &Row);
  void keepThrown(InstanceId I, const llvm::CallBase &Call, const ApiRow &Row);
  Held &thrownBy(InstanceId I);
  bool catchesOthers(InstanceId I) const;
  PointerSet caught(InstanceId I, const ApiRow &Row);
  void enter(llvm::Function &Callee, InstanceId I, const llvm::CallBase &Call);
  void leak(const PointerSet &Pointers);
  void addMentioned(const llvm::Constant &C, std::set<const Origin *, ByKey> &All) const;
  PointerSet lostIn(InstanceId I, const llvm::Instruction &Inst, const PointerSet &Now);
  void link(InstanceId I, const llvm::CallBase &Call);
  void linkNodes(InstanceId I, const llvm::CallBase &Call, const NodeLinks &Links);
  void giveAway(const PointerSet &Pointers, const llvm::DIType *As = nullptr);
  void giveArguments(InstanceId I, const llvm::CallBase &Call, InstanceId Writer);
  void handOver(InstanceId Writer, PointerSet Some);
  std::optional<InstanceId> writerIn(InstanceId I, const llvm::Function *Callee) const;
  void giveBlock(const Pointer &P, const llvm::DIType *As);
  void giveNames(InstanceId I);
  void giveBetween(InstanceId I, const llvm::GlobalVariable &Bound);
  void show(const PointerSet &Pointers);
  void showKept(const Origin *Base, bool Always);
  void showNames();
  bool isSeen(const Origin &Block, InstanceId Writer) const;
  void callBack(llvm::Function &F);
  void callBackFrom(const PointerSet &Functions);
  PointerSet virtualOf(const PointerSet &Tables);
  void spreadOutside();
  void post(InstanceId I, const llvm::CallBase &Call);
  void build(InstanceId I, const llvm::CallBase &Call);
  void postedUnseen(InstanceId I);
  PointerSet postedIds();
  void completed(InstanceId I, const llvm::Value *Completions);
  void completedIn(InstanceId I, const llvm::Value *Queue);
  void startThreads(InstanceId I, const llvm::CallBase &Call);
  bool startFromSetup(InstanceId I, const llvm::CallBase &Call, const PointerSet &Argument);
  void callEntry(InstanceId I, const llvm::Function &Entry, const llvm::CallBase &Call);
  void unite();
  InstanceId residual(llvm::Function &F);

  void write(const Pointer &At, std::int64_t Size, InstanceId Writer, const PointerSet &Held);
  void copy(const PointerSet &To, const PointerSet &From, std::int64_t Length, InstanceId Writer);
  const Origin *setUpIn(const Origin *Block);
  void putBySetup(const Pointer &At, std::int64_t Size, const PointerSet &Objects);
  void copyBySetup(const Pointer &To, const Pointer &From, std::int64_t Length);
  PointerSet slotsInSetUp(const Origin *Object);
  PointerSet keptInSetUp(const Pointer &Where);
  PointerSet held(const Pointer &Where, std::int64_t Size, bool IsPointer);
  static PlaceKey keyOf(const Pointer &Where, std::int64_t Size, bool IsPointer, bool Own = false);
  Place &place(const Pointer &Where, std::int64_t Size, bool IsPointer, bool Own = false);
  void settle();
  void update(Place &P);
  void wakeKin(const Origin &Block, bool Renamed);
  const std::vector<Place *> &otherNames(Place &P);
  bool takeKept(Place &P, bool &Found);
  void noteWritten(const Origin *Block);
  Place &copied(const Place &To, const Copy &C);
  void initialise(const Origin *Base, Block &B);
  void initialise(const llvm::Constant &C, std::int64_t Offset, const Origin *Base, Block &B);
  bool comesFromOutside(const Pointer &Where, bool Found);
  bool isLeftOpen(const Pointer &Where);
  bool isShownByVariable(const Origin &Block);
  PointerSet fromOutside(const Pointer &Where, bool IsPointer);
  const PointerSet &knownOutside(const llvm::DIType *Type);
  void standForMany(const Origin *Block);
  const Origin *pointee(const Pointer &Where);
  bool mayBe(const Origin *Block, const llvm::DIType *Type) const;
  void nameAllocation(InstanceId I, const llvm::CallBase &Call, Origin &O);

  Origin *origin(Origin O);
  const Origin *workIds();
  const Origin *queuesOf(const Origin *Channel);
  PointerSet collected(const Origin *Which);
  const Origin *special(Origin::Kind What, const char *Key);
  std::string keyOf(Instance &In, const llvm::Value *V, const std::string &Name);

  FactsSource Facts;
  std::map<std::string, std::unique_ptr<Origin>> Origins;
  std::vector<std::unique_ptr<Instance>> Instances;
  std::map<llvm::Function *, InstanceId> Residuals;
  std::map<const Origin *, Block> Blocks;
  /// The bytes of a block that code outside the sources may read and write.
  struct Extent {
    std::int64_t Begin, End;
    Step Spreading; ///< tells outside code of what they hold
  };
  std::map<const Origin *, Extent, ByKey> Outside;
  /// What calls of code outside the sources may fill, by who calls; and all that these find from there.
  std::map<InstanceId, PointerSet> HandedOver, Filled;
  /// Objects of libraries, and what was given to a library together with them.
  std::map<const Origin *, std::set<const Origin *, ByKey>> Linked;
  std::set<const Origin *, ByKey> Registered;
  std::set<const Origin *, ByKey> Lent; ///< objects of libraries that others have from set-up code
  /// Other objects, to which the program has taken the distance from this one.
  std::map<const Origin *, Held, ByKey> Distant;
  std::set<const Origin *, ByKey> Leaked; ///< their addresses went into numbers that are not followed
  std::map<const llvm::DIType *, std::pair<std::size_t, PointerSet>> KnownOutside;
  Readers AskedOutside;                                  ///< which blocks are known outside
  std::set<const Origin *, ByKey> WrittenKin;            ///< blocks that may be others, and are written to
  std::map<std::pair<InstanceId, unsigned>, Held> Given; ///< to parameters, by number
  static constexpr InstanceId ByCalls = ~2u;             ///< throws what any function that stayed a call does
  std::map<InstanceId, Held> Thrown;
  std::map<const Origin *, std::set<const Origin *, ByKey>> GivenAs;
  bool Begins = false;                      ///< `main` is here: nobody else calls an entry
  std::set<const llvm::Function *> Entries; ///< what set-up code calls, but is analysed as a thread
  std::map<const Origin *, const Origin *> Same;
  const Origin *Null = special(Origin::Kind::Null, "0"), *Number = special(Origin::Kind::Number, "#"),
               *Any = special(Origin::Kind::Unknown, "?");
  std::vector<std::unique_ptr<Place>> Places; ///< a step of the worklist each
  std::map<PlaceKey, Place *> KnownPlaces;
  /// What each step does: every instruction that makes or moves pointers.
  std::vector<std::pair<InstanceId, const llvm::Instruction *>> Steps;
  struct Arrival {
    Pointer At;
    std::int64_t Size;
  };
  /// What the requests that a call posts may bring.
  std::map<std::pair<InstanceId, const llvm::CallBase *>, std::vector<Arrival>> Arriving;
  std::map<const llvm::Value *, bool> OnlySends; ///< requests
  std::optional<bool> LengthsInSight;            ///< are those of lists of entries?
  Worklist Due;
  /// Has everything been done once that the sources do to memory? Before, a place that nothing has set may
  /// still be set by a step to come.
  bool AllTold = false;
  static constexpr Step Nobody = ~0u; ///< asks when all is solved
  Step Current = Nobody;
};

/// Of two numbers of any width.
bool isDifference(const llvm::User &U);

/// Do pointers of this type lead to objects of libraries, which are no buffers of the program?
bool isLibraryType(const llvm::DIType *T);
/// To those of verbs, such as a completion queue?
bool isVerbsType(const llvm::DIType *T);
bool isLibraryObject(const Pointer &P);

/// Is a value of one type, as far as is known, part of one of the other?
bool mayContain(const llvm::DIType *Outer, const llvm::DIType *Inner, unsigned Depth = 0);

/// These low bits of the address, where they are always the same.
std::optional<std::int64_t> lowBits(const Pointer &P, std::uint64_t Mask, const llvm::DataLayout &Layout);
/// The bits of an address that an `and`, `or` or `xor` with a constant may change. Those above every address
/// are zero.
std::uint64_t bitsChanged(unsigned Opcode, std::uint64_t Constant);

/// May a value of this type hold a pointer, whole or in part?
bool mayHoldPointer(const llvm::Type *T);

} // namespace rdma::clang_ir
