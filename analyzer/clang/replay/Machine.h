// The instructions of a replay (Replay.h).
#pragma once

#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/replay/Nic.h"
#include "analyzer/clang/replay/Passing.h"
#include "analyzer/clang/replay/Replay.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <unordered_map>

namespace rdma::clang_ir {

class Machine {
public:
  struct Choice {
    std::uint64_t Parameter;                 ///< for each parameter that is a number
    unsigned Patience, MostSteps;            ///< of polls; of all
    static constexpr unsigned Forever = ~0u; ///< a patience: no completion ever comes
    /// Of these polls the first that is answered finds another thread's completion.
    const std::set<const llvm::CallBase *> *Taken = nullptr;
    ChosenNumbers Numbers = {}; ///< for some of them, and of what else comes from outside
  };
  Machine(const CountedThread &T, const std::vector<QueuePair> &QueuePairs, Choice Chosen, SeenPairs &Seen);
  void run();
  /// Where the run has come to a check that what was chosen does not pass: what would, if that is known.
  const std::optional<ChosenNumber> &wanted() const { return Wanted; }

private:
  // Values (Machine.cpp). A replay ends with the first thing that is not known: they return false.
  Datum value(const llvm::Value *V);
  std::uint64_t chosen(const llvm::Value &V, std::uint64_t Else) const {
    auto Found = Chosen.Numbers.find(&V);
    return Found == Chosen.Numbers.end() ? Else : Found->second;
  }
  void set(const llvm::Instruction &I, Datum What) { Registers[&I] = std::move(What); }
  void findEnds();
  bool step(const llvm::Instruction &I);
  bool jump(const llvm::BasicBlock *To);
  bool repeats(const std::vector<Datum> &Entered);
  bool terminate(const llvm::Instruction &I);
  Datum compute(const llvm::Instruction &I);
  Datum binary(const llvm::BinaryOperator &Op);
  Datum cast(const llvm::CastInst &Cast);
  Datum compare(const llvm::ICmpInst &Compare);
  bool modify(const llvm::AtomicRMWInst &Modify);
  bool exchange(const llvm::AtomicCmpXchgInst &Exchange);
  Datum load(const Datum &At, const llvm::Type *Type);
  Datum loadChosen(const llvm::LoadInst &Load, const Datum &At);
  void store(const Datum &At, const llvm::Type *Type, Datum What);
  std::int64_t sizeOf(const llvm::Type *Type) const;

  // Calls (MachineCalls.cpp).
  bool call(const llvm::CallBase &Call);
  bool intrinsic(const llvm::IntrinsicInst &Call);
  bool outside(const llvm::CallBase &Call, const ApiRow *Row);
  void post(const llvm::CallBase &Call);
  void postList(const llvm::CallBase &Call, bool Receives);
  bool fill(Request &R, const Datum &List, std::int64_t &Flags);
  void postOne(const llvm::CallBase &Call, const ApiRow &Row);
  void poll(const llvm::CallBase &Call, const PollSite &Site, Api What);
  void await(const llvm::CallBase &Call);
  void created(const llvm::CallBase &Call, Api What);
  void endPairs(const ApiRow &Row, const Datum &Pair);
  static constexpr std::int64_t ToTheEnd = 1ll << 40;
  void renewFrom(const Datum &At, std::int64_t Size = ToTheEnd);
  void give(const llvm::CallBase &Call);
  bool linkNodes(const llvm::CallBase &Call, llvm::StringRef How);
  void touchGiven(const llvm::CallBase &Call, const ApiRow &Row);
  void fillGiven(const llvm::CallBase &Call, const ApiRow &Row);
  Datum resultOf(const llvm::CallBase &Call);
  void listDevice(const llvm::CallBase &Call, const Datum &List);
  Datum noOption();
  void tellTime(const llvm::CallBase &Call, llvm::StringRef Clock, Datum &Result);
  void unknownRequest(const llvm::CallBase &Call);
  void addBuffer(Request &To, const Datum &Address, std::optional<std::int64_t> Length, std::int64_t Flags);
  void hand(Request R, std::int64_t Flags);
  Request request(const llvm::CallBase &Call, BlockId Pair) const;
  std::optional<std::int64_t> number(const Datum &D, unsigned Bits = 64) const;

  /// The instruction touches these bytes: a request that is out may use them.
  void touch(const llvm::Instruction &I, const Datum &At, std::int64_t Size, bool Writes);
  void touchRequest(const Request &New);
  void saw(const llvm::Instruction *Post, const llvm::Instruction *Later);

  const CountedThread &T;
  const std::vector<QueuePair> &QueuePairs;
  const llvm::DataLayout &Layout;
  const Choice Chosen;
  const bool FilesWait; ///< a FILE may lead to another program
  SeenPairs &Seen;
  Heap Memory;
  Nic Card;
  std::unordered_map<const llvm::Value *, Datum> Registers;
  std::map<const llvm::CallBase *, const PostSite *> Posts;
  std::map<const llvm::CallBase *, const PollSite *> Polls;
  struct Created {
    std::optional<BlockId> Cq, ReceiveCq;
    std::optional<bool> SignalsAll;
  };
  std::map<BlockId, Created> Pairs;
  std::map<BlockId, std::pair<Datum, std::int64_t>> Regions; ///< registered: where, and how many bytes
  struct Round {
    std::uint64_t Changes;
    std::vector<Datum> Entered; ///< what the header's phis were
    bool operator==(const Round &) const = default;
  };
  std::unordered_map<const llvm::BasicBlock *, Round> Rounds; ///< of loops, the last of each
  bool GotAnothers = false;
  std::optional<ChosenNumber> Wanted;
  std::set<const llvm::LoadInst *> Given; ///< loads of what was chosen, which have put that where they look
  std::uint64_t Hours = 1;                ///< what a clock shows
  unsigned Steps = 0;
  const llvm::BasicBlock *Here = nullptr, *From = nullptr;
  llvm::df_iterator_default_set<const llvm::BasicBlock *> GoesOn, MayPost;
};

} // namespace rdma::clang_ir
