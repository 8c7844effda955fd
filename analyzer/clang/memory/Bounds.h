// Between which numbers an integer is for certain.
#pragma once

#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/StridedInterval.h"

#include <llvm/IR/Instructions.h>

#include <map>
#include <set>
#include <vector>

namespace rdma::clang_ir {

/// The numbers that an integer can be at a place of a function, by abstract interpretation from there
/// backwards: what computes it, the conditions that lead there, what memory holds, and where loops lead it,
/// up to what their tests stop. What is not understood may be any number. A limit of steps bounds the time.
class Bounds {
public:
  Bounds(FunctionFacts &Facts, NumbersAt Held) : Facts(Facts), Held(Held) {}

  StridedInterval of(const llvm::Value &V, const llvm::Instruction &Where);

  /// The wr_id of a completion is no number (true), or may be any (false, as it begins).
  void leaveOutWorkIds(bool Leave) { WithoutWorkIds = Leave; }

private:
  static bool isNumber(const llvm::Value &V) {
    return V.getType()->isIntegerTy() && V.getType()->getIntegerBitWidth() <= 64;
  }
  static unsigned bitsOf(const llvm::Value &V) { return V.getType()->getIntegerBitWidth(); }

  /// Where a number is asked for.
  struct Place {
    const llvm::Instruction *At = nullptr;
    const llvm::BasicBlock *Into = nullptr; ///< where the way goes on, if At is the end of a block
    std::vector<std::pair<const llvm::Value *, bool>> Given =
        {}; ///< conditions of choices, and how they come out
  };

  using Same = llvm::function_ref<bool(const llvm::Value &)>;

  StridedInterval of(const llvm::Value &V);
  StridedInterval unrefined(const llvm::Value &V);
  StridedInterval computed(const llvm::Instruction &I);
  StridedInterval binary(const llvm::BinaryOperator &I);
  StridedInterval chosen(const llvm::SelectInst &Choice);
  StridedInterval returned(const llvm::CallBase &Call);
  StridedInterval inTable(const llvm::LoadInst &Load);
  StridedInterval loaded(const llvm::LoadInst &Load);
  StridedInterval stored(const HeldNumbers &Numbers, const llvm::LoadInst &Load);
  StridedInterval merged(const llvm::PHINode &Phi);
  StridedInterval solved(const llvm::Instruction &Key, llvm::function_ref<StridedInterval()> Step);
  StridedInterval widened(const StridedInterval &Now, const StridedInterval &Next) const;

  StridedInterval refined(StridedInterval Now, Same Is);
  StridedInterval assumed(const llvm::Value &Condition, bool Holds, StridedInterval Now, Same Is,
                          unsigned Depth = 0);
  StridedInterval compared(const llvm::ICmpInst &Test, bool Holds, StridedInterval Now, Same Is);
  std::optional<llvm::ConstantRange> behind(const llvm::Value &Tested, const llvm::ConstantRange &Allowed,
                                            const StridedInterval &Now, Same Is);
  StridedInterval inRounds(const llvm::Value &V, StridedInterval Now);
  StridedInterval elsewhere(Place There, llvm::function_ref<StridedInterval()> Find);

  FunctionFacts &Facts;
  NumbersAt Held;
  Place Here;
  std::map<const llvm::Instruction *, StridedInterval> Open;  ///< loops' numbers that are being solved
  std::map<const llvm::Instruction *, StridedInterval> Known; ///< solved
  std::map<const llvm::PHINode *, StridedInterval> Merged;    ///< as long as what is open is what it is
  /// Of what nothing stops but that its loop makes few rounds: what it can be after none, one, two of them.
  std::map<const llvm::Instruction *, std::vector<StridedInterval>> AfterRounds;
  std::set<const llvm::ICmpInst *> Asking;
  std::set<std::int64_t> Ends; ///< where a test may stop a number
  unsigned Steps = 0, Depth = 0;
  bool WithoutWorkIds = false;
};

} // namespace rdma::clang_ir
