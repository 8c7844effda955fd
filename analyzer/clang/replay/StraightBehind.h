// Accesses that come straight behind a request, to bytes of its buffer by the value that says where these
// are.
//
// A replay needs numbers; where something in front of the request is beyond it, this does not matter to what
// comes straight behind: nobody can have taken the completion, and the bytes are the same whichever they are.
#pragma once

#include "analyzer/clang/replay/Replay.h"

namespace rdma::clang_ir {

/// Adds them for each request of one buffer that is not inline. A test is passed that ends the process
/// otherwise, or tells whether the post has failed; every other test, loop and call may have to do with the
/// completion, and ends the search.
void addStraightBehind(const CountedThread &T, SeenPairs &Found);

} // namespace rdma::clang_ir
