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

/// One of the numbers that memory holds at a load: a constant, or a value, and what has stored it.
struct HeldNumber {
  std::int64_t Constant = 0;
  const llvm::Value *V = nullptr;
  const llvm::Instruction *StoredBy = nullptr;
};
/// Those that are known.
using NumbersAt = llvm::function_ref<std::vector<HeldNumber>(const llvm::LoadInst &)>;

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

/// A number as another one, times a factor, and what is added.
struct Line {
  std::int64_t Factor = 1, Added = 0;
  const llvm::SCEV *Of = nullptr;
};
Line lineOf(llvm::ScalarEvolution &Evolution, const llvm::Value &V);

/// Larger numbers are no index that anybody states.
inline constexpr std::int64_t LargestIndex = 1 << 24;
/// The largest byte or word: what a cast leaves.
inline bool isOfType(const llvm::APInt &Most) { return Most == 0xff || Most == 0xffff; }
/// Is it the wr_id of a completion, which the program has chosen?
bool isWorkId(const llvm::LoadInst &Load);

/// An index into an array stays inside the array where the program says how far it goes: in a loop that
/// counts it so far for certain, by its own masks, tests and numbers, by a length that a call gives, or by
/// the wr_id of a completion. So far it goes, and one of which nothing is said may lead anywhere.
std::pair<std::int64_t, std::int64_t> indexInto(const llvm::ArrayType &Array,
                                                std::pair<std::int64_t, std::int64_t> Range,
                                                FunctionFacts &Facts, const llvm::GEPOperator &Gep,
                                                const llvm::Value *Index, NumbersAt Held);

/// Of that, what the program's own masks, tests and numbers say: all numbers, if nothing. Nothing: they are
/// too many to be followed.
std::optional<llvm::ConstantRange> statedIndex(FunctionFacts &Facts, const llvm::GEPOperator &Gep,
                                               const llvm::Value &Index, NumbersAt Held);

/// Is it the bucket that a hash table of the C++ library has in itself? Whatever indexes it, the index is 0.
bool isOnlyBucket(const Pointer &P);

} // namespace rdma::clang_ir
