// Which locks a thread holds, and where.
#pragma once

#include "analyzer/clang/counts/Sites.h"

#include <map>
#include <optional>
#include <set>

namespace rdma::clang_ir {

/// A lock: its block, and where it is in it.
using Lock = std::pair<const Origin *, std::int64_t>;
enum class LockUse : std::uint8_t { None, Takes, Tries, GivesBack, Waits };

/// Does the call come back with the lock, unless it has failed?
bool waitsForLock(const llvm::CallBase &Call);
/// What a call does to a lock. Tries: what comes back says whether it is held, and is tested. Waits: gives it
/// back, and takes it again, as may any code that is not followed.
LockUse lockUse(const llvm::CallBase &Call);
/// The last call of the block that tries to take a lock, if the block ends with a branch for its success, and
/// the successor where the lock is held.
std::optional<std::pair<const llvm::CallBase *, unsigned>> triedIn(const llvm::BasicBlock &Block);
/// The lock that is at these places, if it is one for certain.
std::optional<Lock> oneOf(const PointerSet &Places);
/// The lock that a call works on, if it is one for certain, and the same for all threads.
std::optional<Lock> lockOf(const llvm::CallBase &Call, const CountedThread &T);
/// Before each call of the thread, and each other instruction at which it holds any: the locks that it holds
/// on every way there.
std::map<const llvm::Instruction *, std::set<Lock>> locksHeld(const CountedThread &T);
/// Does the thread give this lock back only where it holds it? Whoever does otherwise opens what another has
/// closed.
bool givesBackOwn(const CountedThread &T, const Lock &L);

} // namespace rdma::clang_ir
