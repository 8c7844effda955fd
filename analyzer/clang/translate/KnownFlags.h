// Variables that hold a known number until a thread of the program writes them.
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/program/Inventory.h"

#include <llvm/IR/Module.h>

#include <deque>

namespace rdma::clang_ir {

/// A variable that some thread awaits, of one number that it is known to hold at first, becomes an object
/// that is accessed as a whole, so that the conditions see that who finds another number there has waited for
/// the thread that wrote it (core/Handshakes). Known: its initialiser says it, no other code of the program
/// or of others can name it, neither constructors nor set-up code that is left out do, and the threads that
/// use it run once in their process.
void wholeFlags(Inventory &Stock, const std::deque<CountedThread> &Threads, const llvm::Module &M);

/// Which objects are variables of these sources that hold zeros at first (Object::Zeros): their initialisers
/// say so, and nothing that runs before the threads, which run once in their process, may have set them.
void knownZeros(Inventory &Stock, const std::deque<CountedThread> &Threads, const llvm::Module &M);

} // namespace rdma::clang_ir
