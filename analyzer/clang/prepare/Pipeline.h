// The short pipeline from a thread's entry function to straight facts.
//
// Only passes that leave every load and store of memory that a NIC or another thread can see: SROA (it
// promotes allocas whose address does not escape), SCCP, InstSimplify, SimplifyCFG without speculation,
// sinking, hoisting and merging of stores, and full unrolling of small loops. GVN, DSE, EarlyCSE, LICM and
// InstCombine forward or remove loads and stores, so they are not used.
#pragma once

#include "ir/Program.h"
#include "ir/Words.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rdma::clang_ir {

using FunctionSet = std::set<const llvm::Function *>;
using RemarkSink = std::function<void(const llvm::DebugLoc &Where, const Said &Text, bool Covered)>;

/// Full unrolling of loops whose headers run at most this often, ...
inline constexpr unsigned MaximalTrips = 17;
/// ... as long as their copies stay below so many instructions, ...
inline constexpr unsigned MaximalUnrolled = 1'500;
/// ... or below so many of a loop of a few rounds, such as the steps of a switch, ...
inline constexpr unsigned MaximalUnrolledOfFew = 8'000;
inline constexpr unsigned FewTrips = 4;
/// ... and the entry below so many.
inline constexpr unsigned MaximalSize = 40'000;
/// Beyond this, functions that neither post nor poll stay calls.
inline constexpr unsigned ComfortableSize = 10'000;

class Pipeline {
public:
  explicit Pipeline(llvm::Module &M);
  ~Pipeline();

  /// Inlines everything below the entry and simplifies it. What stays behind as a call (recursion, too large)
  /// is told to Sink when it matters.
  /// Kept: functions that stay calls.
  void prepare(llvm::Function &Entry, const RemarkSink &Sink, const FunctionSet &Kept = {});

private:
  struct State;
  std::unique_ptr<State> S;
};

/// Replaces calls of defined functions by their bodies, down to recursion and to the functions of the API
/// table. Returns whether anything changed.
bool inlineBelow(llvm::Function &Entry, const RemarkSink &Sink, bool Report, const FunctionSet &Kept = {});

/// Is this call one that the analysis models, so that it must stay a call?
bool isModelled(const llvm::Function &Callee);

} // namespace rdma::clang_ir
