// Completions taken one at a time, or so many, whatever they are of.
#pragma once

#include "Style.h"

#include <string>

namespace rdma::test {

/// A statement that waits for Count completions of the queue.
std::string pollText(const Style &S, const std::string &Cq, unsigned Count);
/// The function that it calls; Shared: from another file, and so without `static`.
std::string pollHelper(const Style &S, bool Shared);
std::string pollDeclaration(const Style &S);

} // namespace rdma::test
