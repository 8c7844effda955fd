// What the analyses of one function need to live.
#pragma once

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <optional>
#include <vector>

namespace rdma::clang_ir {

struct Pointer;
/// The least and the most of an index.
using IndexRange = std::pair<std::int64_t, std::int64_t>;

/// One of the numbers that memory holds at a load: a constant, or a value, and what has stored it.
struct HeldNumber {
  std::int64_t Constant = 0;
  const llvm::Value *V = nullptr;
  const llvm::Instruction *StoredBy = nullptr;
};
struct HeldNumbers {
  std::vector<HeldNumber> Known;
  bool All = false; ///< it holds no other number
};
using NumbersAt = llvm::function_ref<HeldNumbers(const llvm::LoadInst &)>;

struct FunctionFacts {
  explicit FunctionFacts(llvm::Function &F)
      : Tree(F), Loops(Tree), LibraryImpl(llvm::Triple(F.getParent()->getTargetTriple())),
        Library(LibraryImpl), Assumptions(F), Evolution(F, Library, Assumptions, Tree, Loops),
        Ranges(&Assumptions, &F.getParent()->getDataLayout()) {}
  llvm::DominatorTree Tree;
  llvm::LoopInfo Loops;
  llvm::TargetLibraryInfoImpl LibraryImpl;
  llvm::TargetLibraryInfo Library;
  llvm::AssumptionCache Assumptions;
  llvm::ScalarEvolution Evolution;
  llvm::LazyValueInfo Ranges;
};

/// Offsets beyond this are as good as not known.
inline constexpr std::int64_t Far = std::int64_t(1) << 40;

/// The least and the most that an integer can be; {-Far, Unbounded} when that is not known or too far.
std::pair<std::int64_t, std::int64_t> rangeOf(llvm::ScalarEvolution &Evolution, const llvm::SCEV *Expression);

/// Larger numbers are no index that anybody states.
inline constexpr std::int64_t LargestIndex = 1 << 24;
/// Is it the wr_id of a completion, which the program has chosen?
bool isWorkId(const llvm::LoadInst &Load);

/// How far an index into an array goes, as far as that is certain: what it is proved to stay between, or,
/// where that is not known, Range. The wr_id of a completion is taken for an index of the array it is used
/// for, and so is what nothing limits where the elements hold pointers.
IndexRange indexInto(const llvm::ArrayType &Array, IndexRange Range, FunctionFacts &Facts,
                     const llvm::GEPOperator &Gep, const llvm::Value *Index, NumbersAt Held);

/// Is it the bucket that a hash table of the C++ library has in itself? Whatever indexes it, the index is 0.
bool isOnlyBucket(const Pointer &P);

} // namespace rdma::clang_ir
