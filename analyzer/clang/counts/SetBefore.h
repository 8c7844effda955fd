// What set-up code has done before a thread begins.
#pragma once

#include "analyzer/clang/counts/Sites.h"

namespace rdma::clang_ir {

/// May others write to these bytes while the thread runs? Set-up code may not that is over then: where `main`
/// calls what begins the thread once, by one chain of calls, and nothing behind that can come to the function
/// that writes, nor can anything that is run by its address, as other threads and handlers are. Of sources
/// that leave functions of the program out, or ask for some by name, a call through a pointer may come to
/// anything. A call of code outside the sources is remarked, and withholds *robust* there.
bool mayBeWrittenBeside(const CountedThread &T, const Pointer &Where, std::int64_t Size);

} // namespace rdma::clang_ir
