// All that can happen from one cut to the next, as formulas over the state at the cut.
#pragma once

#include "analyzer/clang/counts/System.h"

#include <unordered_map>

namespace rdma::clang_ir {

/// 2^Bits, for up to 64 bits.
z3::expr powerOfTwo(z3::context &C, unsigned Bits);
/// E is an integer of so many bits, as formulas have them: with a sign, but for single bits.
z3::expr fits(const z3::expr &E, unsigned Bits);

class Region {
public:
  Region(System &S, System::Cut Start);

  /// The cycles left between cuts are none: else nothing may be concluded.
  bool acyclic() const { return Acyclic; }
  const State &atStart() const { return Begin; }
  /// Holds on every execution.
  const z3::expr_vector &assumptions() const { return Assumed; }

  /// A way to the next cut.
  struct Exit {
    System::Cut To;
    const llvm::BasicBlock *From;
    z3::expr Taken;
  };
  const std::vector<Exit> &exits() const { return Exits; }
  const State &after(const Exit &E) const { return After.at(E.From); }

  /// The value of an integer (or where in its block a pointer points) in this region; of a phi of the exit's
  /// target, the one that the exit gives it. Values from before the region are unknowns, one for each.
  z3::expr value(const llvm::Value *V);
  /// Of an address that a request is given, from the beginning of its block.
  z3::expr distance(const llvm::Value &Address);
  /// Of an address that a request is given, or an access uses: from the beginning of the block, and where
  /// none is told, of all memory, where each block lies at a place of its own. None: it may be elsewhere.
  std::optional<z3::expr> place(const llvm::Value &Address, const Origin *Block);
  bool madeBefore(const llvm::Instruction *I) const;
  z3::expr valueAt(const Exit &E, const llvm::Value *V);
  /// The index of the queue pair, or queue, that a call is given.
  z3::expr inFocus(const llvm::CallBase &Call, const Family &Of);
  const std::vector<const llvm::Value *> &fromBefore() const { return Before; }

  /// A number of that many bits, without its sign.
  static z3::expr asUnsigned(const z3::expr &E, unsigned Bits);
  /// What is left of a number that is divided by another, where that is no constant (GivenRounds.cpp).
  z3::expr remainder(const z3::expr &A, const z3::expr &By);
  bool dividesByGiven() const { return !Remainders.empty(); }
  bool contains(const llvm::BasicBlock *Block) const { return Reach.count(Block); }
  z3::expr reaches(const llvm::BasicBlock *Block) const { return Reach.at(Block); }
  const State &entering(const llvm::BasicBlock *Block) const { return In.at(Block); }
  /// The state just before an instruction of interest; null when it is not in the region.
  const State *before(const llvm::Instruction *I) const;
  /// To be called before encode(): keep the state before these.
  void watch(const std::set<const llvm::Instruction *> &Some) { Watched = &Some; }
  void encode();

private:
  void findBlocks();
  void merge(const llvm::BasicBlock *Block);
  static bool isDistance(const llvm::Value *V);
  static bool holdsAddress(const llvm::Value *V);
  void forget(const llvm::BasicBlock *Header, State &Now);
  z3::expr edge(const llvm::BasicBlock *From, unsigned Successor);
  void run(const llvm::Instruction &I, State &Now);
  void post(const PostSite &P, State &Now);
  void poll(const PollSite &P, State &Now);
  void wait(const llvm::CallBase &Call, const z3::expr &Meant, State &Now);
  void take(State &Now, unsigned Queue, const z3::expr &Some);
  void write(const llvm::Value *To, std::int64_t Size, const z3::expr *Stored, State &Now);
  static bool isElement(const Cell &C, const PointerSet &Places, std::int64_t Size);
  std::optional<z3::expr> readCell(const llvm::LoadInst &Load, State &Now);
  void copy(const llvm::AnyMemTransferInst &Copy, State &Now);
  void step(const llvm::Instruction &I, State &Now);
  void modify(const llvm::AtomicRMWInst &Modify, State &Now);
  z3::expr readShared(const llvm::Instruction &I, unsigned Cell, State &Now);
  // Semaphores and the like (WordSteps.cpp).
  int sharedWord(const llvm::Instruction &I);
  void stepWord(const llvm::Instruction &I, unsigned Cell, State &Now);
  // Arrays (Focus.cpp).
  z3::expr indexIn(const llvm::Value *Address, std::int64_t At, std::int64_t Stride);
  bool readId(const llvm::LoadInst &Load, State &Now);
  bool readElement(const llvm::LoadInst &Load, State &Now);
  z3::expr focusOf(const Element &E, const State &Now);
  void writeArrays(const llvm::Value *To, std::int64_t Size, const z3::expr *Stored, State &Now);
  void clearArrays(const Pointer &From, std::int64_t Size, const State &Old, State &Now);
  void clobber(const llvm::CallBase &Call, State &Now);
  void allocate(const llvm::CallBase &Call, State &Now);
  void setId(const llvm::CallBase &Call, State &Now);
  void isOfItsRange(const llvm::LoadInst &Load);
  // Addresses (Addresses.cpp).
  std::optional<z3::expr> address(const llvm::Value *V, const llvm::Instruction *At);
  std::optional<z3::expr> addressOf(const llvm::Value *V, const llvm::Instruction *At);
  std::optional<z3::expr> addressIn(const llvm::Value *V, const llvm::Instruction *At);
  std::optional<z3::expr> marked(const llvm::BinaryOperator &Op, z3::expr From, std::uint64_t Bits);
  z3::expr idOf(const llvm::Value &Id, const PostSite &P);
  std::optional<z3::expr> amongAddresses(const z3::expr &Found);
  z3::expr valueAs(const llvm::Value *V, const llvm::Value &Other);
  void isAtOneOf(const z3::expr &Address, const PointerSet &Places, const llvm::LoadInst *Load = nullptr);
  z3::expr ofAddress(const llvm::Value &V);
  z3::expr sameAddress(const llvm::ICmpInst &Compare);
  z3::expr reached(const Cell &C, const z3::expr &To, std::int64_t Size, const z3::expr &Stored,
                   const z3::expr &Was);
  z3::expr inOrder(const PostSite &P, const State &Now);
  z3::expr takenBy(const PollSite &P, const z3::expr &Result);
  void join(const llvm::CallBase &Call, State &Now);
  void takeWithId(State &Now, const PollSite &P, const z3::expr &Taken);

  // Values (Values.cpp).
  z3::expr compute(const llvm::Value *V);
  z3::expr binary(const llvm::BinaryOperator &Op);
  z3::expr masked(const z3::expr &E, const llvm::APInt &Mask);
  z3::expr ofPointer(const llvm::Value *V);
  z3::expr ofPhi(const llvm::PHINode &Phi);
  z3::expr ofRound(const llvm::PHINode &Phi, const llvm::Loop &Around);
  z3::expr ofIntrinsic(const llvm::IntrinsicInst &Call);
  z3::expr ofCall(const llvm::CallBase &Call);
  z3::expr condition(const llvm::Value *V);
  bool inOneBlock(const llvm::Value &A, const llvm::Value &B);
  z3::expr compare(const llvm::ICmpInst &Compare);
  z3::expr fresh(const llvm::Type *Type);
  z3::expr fresh(const char *Name);
  z3::expr number(std::int64_t N) { return S.Context.int_val(N); }
  static z3::expr wrap(const z3::expr &E, unsigned Bits);

  System &S;
  System::Cut Start;
  bool Acyclic = true;
  std::set<const llvm::Value *> Open; ///< being computed
  State Begin;
  z3::expr_vector Assumed;
  std::vector<const llvm::BasicBlock *> Order;
  std::set<const llvm::BasicBlock *> Members;
  std::unordered_map<const llvm::BasicBlock *, z3::expr> Reach;
  std::unordered_map<const llvm::BasicBlock *, State> In, After;
  std::unordered_map<const llvm::BasicBlock *, z3::expr>
      Chosen; ///< the way out of a block that nothing decides
  std::unordered_map<const llvm::Instruction *, State> At;
  std::unordered_map<const llvm::Value *, z3::expr> Values;
  std::vector<const llvm::Value *> Before;
  std::vector<Exit> Exits;
  struct Remainder {
    z3::expr Of, By, Left;
  };
  std::vector<Remainder> Remainders;
  const std::set<const llvm::Instruction *> *Watched = nullptr;
  unsigned Fresh = 0;
};

} // namespace rdma::clang_ir
