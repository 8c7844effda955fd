// How far a position goes that is counted on, and set back where a test finds it at its end.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace rdma::clang_ir {

/// `at = at == 64 ? 0 : at + 1` goes up to 64, whatever decides whether it is counted: the smallest interval
/// that holds what the position begins with and that no step leads out of. Its ends come from the tests; a
/// position that none of them stops has no such interval, but if it jumps over the number that one of them
/// looks for: then it goes on and on.
class GoingRound {
public:
  using Interval = std::pair<std::int64_t, std::int64_t>;
  /// Is it the position, which goes round?
  using IsPosition = std::function<bool(const llvm::Value &)>;
  /// What is known of any other number, used there; nothing: it may be any, and counts for nothing here.
  using Known = std::function<std::optional<Interval>(const llvm::Value &, const llvm::Instruction &Use)>;

  GoingRound(const llvm::DominatorTree &Tree, IsPosition Is, Known Others)
      : Tree(&Tree), Is(std::move(Is)), Others(std::move(Others)) {}

  /// One of the values that the position is set to, where it is certain that the end of From, or a store, is
  /// come by.
  void setTo(const llvm::Value &V, const llvm::Instruction &There, const llvm::BasicBlock *Into = nullptr);
  void beginsWith(std::int64_t Number);

  std::optional<Interval> solve();

private:
  struct Setting {
    const llvm::Value *V;
    const llvm::Instruction *There;
    const llvm::BasicBlock *Into;
  };
  using MaybeNone = std::optional<Interval>;
  MaybeNone of(const llvm::Value &V, const llvm::Instruction &Use, Interval At, unsigned Depth);
  MaybeNone onWay(const llvm::Value &V, const llvm::Instruction &End, const llvm::BasicBlock *Into,
                  Interval At, unsigned Depth);
  MaybeNone where(const llvm::Value &Condition, bool Holds, Interval At, unsigned Depth);
  MaybeNone compared(const llvm::ICmpInst &Test, bool Holds, Interval At);
  std::optional<std::int64_t> behindPosition(const llvm::Value &V) const;
  MaybeNone after();
  MaybeNone jumped();

  const llvm::DominatorTree *Tree;
  IsPosition Is;
  Known Others;
  std::vector<Setting> Settings;
  MaybeNone Begin, Now;
  std::set<std::int64_t> Ends;    ///< where a test may stop it
  std::set<std::int64_t> Numbers; ///< that a test looks for
  bool Steps = false;             ///< has a value been made of the position?
};

} // namespace rdma::clang_ir
