// The RDMA program: nodes, threads, locations, queue pairs, and per thread a graph of statements.
//
// A litmus file and a C++ program become the same thing here. Statements are those of test/litmus/FORMAT.md,
// each standing for sub-events (ir/SubEvents.h). Control flow is a graph of statements: a statement with
// several successors is a non-deterministic choice, one without successors ends its thread, a cycle is a
// loop.
#pragma once

#include "ir/Orders.h"
#include "ir/Words.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rdma {

using NodeId = unsigned;      ///< index into Program::Nodes
using ObjectId = unsigned;    ///< index into Program::Objects
using QueuePairId = unsigned; ///< index into Program::QueuePairs
using ThreadIndex = unsigned; ///< index into Program::Threads
using StatementId = unsigned; ///< index into Thread::Statements
using WorkId = unsigned;      ///< index into Program::WorkIds
using CompletionQueueId = unsigned;
using LostFactId = unsigned; ///< index into Program::LostFacts
inline constexpr unsigned None = std::numeric_limits<unsigned>::max();

/// A place in a source file; lines and columns count from 1, 0 means unknown.
struct Place {
  std::string File;
  unsigned Line = 0, Column = 0;
  std::string Function;
  bool operator==(const Place &) const = default;
};

/// Where a statement comes from: the innermost place first, then the call sites it was inlined at, outermost
/// last.
struct Site {
  std::vector<Place> Chain;
  bool known() const { return !Chain.empty() && Chain.front().Line != 0; }
  bool operator==(const Site &) const = default;
};

struct Node {
  std::string Name;
  /// How many nodes of this kind there are; 0 is "any number". Replicas are separate Nodes already; see
  /// Thread::Many.
  unsigned Count = 1;
};

/// A named part of an object, for what users are told.
struct Field {
  std::int64_t Begin, End;
  std::string Name; ///< with the object's name: "page.version"
  bool operator==(const Field &) const = default;
};

/// Bytes [Begin, End) of an object that may be bytes of another object of its node with a range of the same
/// number, unless both are Parts: members of what one has a pointer to, or variables, which are no other such
/// parts.
struct KinRange {
  std::uint64_t Number = 0;
  std::int64_t Begin = 0, End = std::numeric_limits<std::int64_t>::max();
  bool Part = false;
  /// Bytes of an element: a byte of one may be the same byte of another.
  std::int64_t Step = 1;
  bool operator==(const KinRange &) const = default;
};

/// A block of memory of one node: a litmus location, a named object of a C++ program, or what an access path
/// points to.
struct Object {
  std::string Name;
  NodeId Home = 0;
  std::int64_t Initial = 0;
  /// A fresh location that only the operation that names it touches (the source of `put r <- 7`, a dummy
  /// get's target).
  bool Fresh = false;
  /// No pointer leads to it: only the operations that name it touch it, and unnamed memory is never this.
  bool Unaliased = false;
  /// Stands for memory the extraction could not name: it may overlap every object of its node.
  bool Anything = false;
  /// Stands for several blocks of memory that could not be told apart.
  bool Several = false;
  /// Other blocks of its node that it may be, or be a part of, for all that is known.
  std::vector<KinRange> Kins = {};
  /// Registered with remote access, so other nodes may touch it even if no analysed thread does.
  bool RemoteAccess = false;
  std::vector<Field> Fields = {};
  /// An access of the whole of it is to all of its bytes, not to as many as nobody knows: a location of
  /// litmus text.
  bool Word = false;
  /// All its bytes are 0 at first, as is known; else only Initial is, of an access to the whole.
  bool Zeros = false;
  bool operator==(const Object &) const = default;
};

/// Bytes [Begin, End) of an object. The default range is the whole object: used when the offset is not known.
struct Access {
  ObjectId Target = None;
  std::int64_t Begin = 0, End = std::numeric_limits<std::int64_t>::max();
  /// Some of these bytes, which ones is not known: an index of an array, say.
  bool Somewhere = false;
  bool valid() const { return Target != None; }
  bool whole() const { return Begin == 0 && End == std::numeric_limits<std::int64_t>::max(); }
  auto operator<=>(const Access &) const = default;
};

/// Requests of one thread towards one node, in posting order; completions go to one completion queue, which
/// several queue pairs may share.
struct QueuePair {
  ThreadIndex Owner = None;
  NodeId Target = 0;
  std::string Name; ///< access path as written; empty in litmus programs
  CompletionQueueId Queue = None;
  LostFactId NoQueue = None; ///< why Queue is not known
  /// Queue pairs of the same number are one, posted to by several threads; None: its thread's own, as far as
  /// is known. The orders do not ask: each is a queue of its own, which is weaker. Why a pair is open may.
  unsigned Shared = None;
  /// Receives are posted to a queue pair of their own, whose name ends so.
  static constexpr const char *Receiving = " (receives)";
  bool receives() const { return Name.ends_with(Receiving); }
};

/// A sum of constants and locations, as on the right of `:=`.
struct Term {
  int Sign = 1;
  bool IsConstant = true;
  std::int64_t Constant = 0;
  Access Location = {};
  bool operator==(const Term &) const = default;
};
using Expression = std::vector<Term>;
/// The sum, if it is of constants only.
std::optional<std::int64_t> constantOf(const std::optional<Expression> &Value);

enum class OperationKind : std::uint8_t {
  Nop,         ///< nothing; joins and splits of control flow
  Load,        ///< lR(Local)
  Store,       ///< lR of every location in Value, then lW(Local)
  LocalCas,    ///< result to Result, on Local; success CAS, failure F lR; then lW(Result)
  LocalRmw,    ///< CAS(Local), an atomic read-modify-write that always succeeds
  MemoryFence, ///< F
  Assume,      ///< lR(Local); goes on only if Local == Constant (or != when Negated); Awaits
  Put,         ///< nlR(Local) nrW(Remote); with Inline: lR(Local) nrW(Remote)
  Get,         ///< nrR(Remote) nlW(Local)
  RemoteCas,   ///< narR(Remote) [narW(Remote)] nlW(Local)
  RemoteFaa,   ///< narR(Remote) narW(Remote) nlW(Local)
  RemoteFence, ///< nF
  Poll,        ///< P, Count times: each takes the oldest completion of completion queue Queue
  /// P, when every earlier operation of the thread that carries Id, but for the last Constant, has completed,
  /// and what its queue pair did before. The completions of these are for waits, all others for polls.
  Wait
};

/// What is posted to a queue pair and leaves a completion unless it is unsignaled.
constexpr bool isRequest(OperationKind K) {
  using enum OperationKind;
  return K == Put || K == Get || K == RemoteCas || K == RemoteFaa;
}
/// A request whose result is delivered into Local.
constexpr bool fetches(OperationKind K) { return isRequest(K) && K != OperationKind::Put; }
/// The CPU writes Local.
constexpr bool isCpuWrite(OperationKind K) {
  using enum OperationKind;
  return K == Store || K == LocalCas || K == LocalRmw;
}

/// One operation. Fields that a kind does not name above are unused by it.
struct Operation {
  OperationKind Kind = OperationKind::Nop;
  Access Local = {}, Remote = {}, Result = {};
  QueuePairId Pair = None;        ///< Put, Get, RemoteCas, RemoteFaa, RemoteFence
  CompletionQueueId Queue = None; ///< Poll
  unsigned Count = 1;             ///< Poll
  WorkId Id = None;               ///< optional for remote operations; Wait
  /// The operation carries Id and its completion is for polls all the same; a wait for such an Id tells what
  /// polls are known to have taken.
  bool Counted = false;
  bool Unsignaled = false, Inline = false, Fenced = false;
  /// Store: no request may use Local from here on. What is there stays, so that nobody else can tell.
  bool Deregisters = false;
  /// Get: a receive. Local is the NIC's until the completion, and what arrives there another thread's Put
  /// says: the delivery is for the thread itself only.
  bool Receives = false;
  /// Put: a message that the peer answers. A Wait for this Id says that it has arrived, and with it what the
  /// queue pair wrote before.
  WorkId Heard = None;
  /// It uses Local or what other operations of the same instruction use, by a pointer that was followed
  /// through memory: on no execution may it be this one. Operations of a thread with one number use one such
  /// pointer.
  unsigned OneOf = None;
  /// Put, Get, RemoteCas, RemoteFaa: which bytes of Remote it is for is not known; requests of a thread with
  /// one number are for the same. Moves: for others each time that the loop around it comes by.
  unsigned RemoteAt = None;
  bool RemoteMoves = false;
  /// Load, Store: of a block that the thread has let nobody else come by so far. What other threads of the
  /// node do there comes behind it.
  bool Unshown = false;
  /// Load: the thread goes on with another number each time. What stands for one instruction has one number.
  unsigned Renewed = None;
  std::optional<std::int64_t> RenewedFrom = {}; ///< and the first time with this one, if that is known
  /// Nop: a call of code that is not among the sources; queue pairs may come and go there.
  bool Outside = false;
  /// Store: the value (absent: not known). Remote and local CAS: expected. RemoteFaa: the addend.
  std::optional<Expression> Value = {};
  std::optional<Expression> Desired = {}; ///< remote and local CAS
  std::int64_t Constant = 0;              ///< Assume; Wait: so many of the last of them may still be out
  bool Negated = false;                   ///< Assume
  /// Assume: all that is known of the location behind it is that it passed once. A write that lets it pass,
  /// too, may come before or behind it.
  bool Awaits = false;
  /// LocalCas, RemoteCas, and LocalRmw until the program is whole: which results this statement stands for.
  /// The extraction splits a tested one into one statement for each way the test goes.
  enum class Outcome : std::uint8_t { Either, Succeeds, Fails } Success = Outcome::Either;
  bool operator==(const Operation &) const = default;
};

struct Statement {
  Operation Op;
  Site Where;
  std::vector<StatementId> Successors = {};
  unsigned LoopDepth = 0; ///< 0 outside every loop; what remedies cost grows with it
  /// Requests that carry these ids are complete when the statement runs, or use other bytes than the local
  /// ones that it touches. Known from counts that the graph does not show.
  std::vector<WorkId> ClearOf = {};
  /// Of a request: what of it is not known. Of a Nop: requests may be waited for here, or more happen, and
  /// that is all that is known.
  LostFactId Lost = None;
  /// A number of the instruction of the source, for Program::SeenOpen.
  unsigned Source = None;
  bool operator==(const Statement &) const = default;
};

struct Thread {
  std::string Name; ///< the number in a litmus file, the entry function's name in C++
  NodeId Home = 0;
  /// Stands for any number of threads like this one, each on its own node: a conflict of this thread with
  /// another copy of itself counts. Never the thread under examination.
  bool Many = false;
  StatementId Entry = 0;
  std::vector<Statement> Statements = {};

  /// A new statement that every way through S passes next.
  StatementId insertBehind(StatementId S, Operation Op, const Site &Where);
};

/// Something the extraction could not resolve: what was assumed instead, and where.
struct Remark {
  Site Where;
  Said Text;
  /// What was assumed is an over-approximation, so verdicts stay sound; false: the place was left out.
  bool Covered = true;
};

/// What the extraction could not find out, and how to tell it. An operation that stays open because of it is
/// not known to be a defect.
struct LostFact {
  Site Where;
  Said Text, Tell; ///< Tell: what to change or add so that it is known
  /// Only completions of this queue are in question; None: any.
  CompletionQueueId Queue = None;
  /// Anything may happen there, not only completions be taken.
  bool Everything = false;
  /// It is another thread that takes the completions.
  bool Beside = false;
  /// It waits for one of the threads whose ends the loads of the same source right behind it look at.
  bool Joins = false;
  /// A way leads through it only if something throws.
  bool Throws = false;
  /// A way leads through it only for the last owner of what is freed there.
  bool Last = false;
  /// A load stands for a look whether a message has come: it matters where somebody acts on it that none has.
  bool Looks = false;
};

/// Of one thread, by Statement::Source: a request, and an access of its bytes that an execution of the source
/// has shown to come while the request is out.
struct SeenOpen {
  ThreadIndex Thread;
  unsigned Request, Access;
  auto operator<=>(const SeenOpen &) const = default;
};

struct Program {
  std::string Name;
  std::vector<Node> Nodes;
  std::vector<Object> Objects;
  std::vector<QueuePair> QueuePairs;
  std::vector<std::string> WorkIds;
  std::vector<Thread> Threads;
  std::vector<Remark> Remarks;
  std::vector<LostFact> LostFacts;
  std::vector<SeenOpen> ShownOpen; ///< sorted
  /// No topology was given and --open-world asks to assume that other nodes may look at every remotely
  /// accessible object in any order.
  bool OpenWorld = false;
  /// Threads holds every thread that can touch the objects. False for a C++ program without topology: then
  /// what other nodes may see was not asked, and no verdict can be robust (but under OpenWorld).
  bool Closed = true;
};

/// Is what the operation does to memory for its own thread only to tell?
constexpr bool isUnseen(const Operation &Op) { return Op.Deregisters || Op.Receives; }

/// May the bytes of two objects be one memory, by their kins?
bool mayBeKin(const Object &X, const Access &A, const Object &Y, const Access &B);
/// May the two accesses touch a common byte?
bool mayOverlap(const Program &P, const Access &A, const Access &B);
/// Do they name exactly the same bytes on every execution?
bool sameBytes(const Program &P, const Access &A, const Access &B);

/// The access in a user's words: the object's name, or the smallest field that holds it, or the bytes.
std::string describe(const Program &P, const Access &A);

/// Per statement, the statements that lead to it.
std::vector<std::vector<StatementId>> predecessors(const Thread &T);

} // namespace rdma
