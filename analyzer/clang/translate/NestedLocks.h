// Mutexes that their owner may ask for once more.
#pragma once

#include "analyzer/clang/memory/Pointers.h"

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <optional>

namespace rdma::clang_ir {

/// What happens to who asks for a mutex that he has already. Waits: for ever. Nests: he has it once more, and
/// gives it back as often. Else he may be refused.
enum class AskedTwice : std::uint8_t { Waits, Nests, MayBeRefused };
/// Of all mutexes in the sources.
AskedTwice whenAskedTwice(const llvm::Module &M);

/// How often the thread has the mutex of the call when it comes there, if that is the same on every way.
std::optional<unsigned> timesHeld(const llvm::CallBase &Call, Pointers &Where);

} // namespace rdma::clang_ir
