// Ways through a loop that polls which no execution goes: what the program's integers and the kind of the
// completion that was taken last say of its branches.
#pragma once

#include "analyzer/clang/counts/Sites.h"

#include <llvm/ADT/APInt.h>
#include <llvm/IR/Instructions.h>

#include <set>

namespace rdma::clang_ir {

enum class Kind : std::uint8_t { Unknown, Send, Receive };

/// What is known at a place: of phis their values, of loads of a completion's opcode its kind; and which kind
/// the last completion was that a poll has written, and where.
struct Known {
  std::map<const llvm::Value *, std::int64_t> Values;
  const llvm::AllocaInst *Buffer = nullptr;
  Kind Last = Kind::Unknown;
  auto operator<=>(const Known &) const = default;
};

class ClosedWays {
public:
  /// Immediate: a receive may be that of a WRITE with immediate data.
  ClosedWays(const CountedThread &T, CompletionQueueId Queue, bool Immediate);

  /// Forgets what the polls of this call have written.
  void forget(Known &K, const llvm::CallBase &Poll) const;
  /// A completion of this kind was taken by the call, and one only.
  void take(Known &K, const llvm::CallBase &Poll, Kind Taken) const;
  /// Goes from one block to the next. False: no execution does, knowing that.
  bool enter(Known &K, const llvm::BasicBlock *From, const llvm::BasicBlock *To);
  /// A phi had too many values; it is followed no more, and what was walked is to be walked again.
  bool gaveUp() { return std::exchange(GaveUp, false); }
  /// Follows no phi any more. False: it follows none.
  bool followLess();

  /// Is all that the integers of the block say of the ways to it in K, but for how many completions were
  /// taken?
  bool tellsAll(const Known &K, const llvm::BasicBlock *Block) const;
  /// May what was polled in these blocks be told behind them, by a value or by what the poll has written?
  /// Ended: no way from there returns. BeforeNext: blocks behind where it may still be found in the variable.
  bool leavesTraces(
      const std::set<const llvm::BasicBlock *> &Inside, const std::set<const llvm::BasicBlock *> &Ended,
      llvm::function_ref<std::set<const llvm::BasicBlock *>(const llvm::AllocaInst &)> BeforeNext) const;
  /// Does a completion that the call takes, one at most, stand in this variable then?
  bool fills(const llvm::CallBase &Poll, const llvm::AllocaInst &Buffer) const;

private:
  using Blocks = std::set<const llvm::BasicBlock *>;
  using Some = std::optional<std::vector<llvm::APInt>>;
  Some values(const Known &K, const llvm::Value *V, unsigned Depth) const;
  void findBuffers();
  void findPhis();
  void findUses();
  Blocks liveIn(const Blocks &Uses, const Blocks &Definitions) const;
  bool open(const Known &K, const llvm::Instruction &End, const llvm::BasicBlock *To) const;
  const llvm::AllocaInst *bufferOf(const llvm::CallBase &Poll) const;
  bool onlySums(const llvm::PHINode &Phi) const;
  bool onlySums(const llvm::PHINode &Phi, const llvm::Value *V, unsigned Depth) const;
  bool onlyTested(const llvm::Instruction &I, bool Followed, const Blocks &Inside, const Blocks &Ended,
                  std::set<const llvm::Value *> &Seen) const;

  const CountedThread &T;
  std::vector<const PollSite *> Polls;
  /// The variable that a call writes and that nothing else does; not there: another place.
  std::map<const llvm::CallBase *, const llvm::AllocaInst *> Buffers;
  std::set<const llvm::CallBase *> AtOnce;
  std::map<const llvm::LoadInst *, const llvm::AllocaInst *> Opcodes;
  std::map<const llvm::AllocaInst *, Blocks> Wanted; ///< where the last kind is still asked for
  std::set<const llvm::PHINode *> Phis;
  std::map<const llvm::Value *, Blocks> Live;
  std::map<const llvm::PHINode *, std::set<std::int64_t>> Seen;
  const bool Immediate;
  bool GaveUp = false;
};

} // namespace rdma::clang_ir
