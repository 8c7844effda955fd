// Access paths as people write them.
#pragma once

#include <string>

namespace rdma::clang_ir {

/// One spelling for those that mean the same memory: `p->a.b`, `(*p).a.b` and `p.a.b`; `rail[i].qp` and
/// `rail[*].qp`; `c.get()->qp` and `c->qp`.
std::string plainPath(const std::string &Path);

/// Is Path what Pattern says? [*] in either agrees with every index, and `*p` is `p[0]`.
bool pathMatches(const std::string &Pattern, const std::string &Path);

/// Does it say [*], or an index that is not a number?
bool isOpen(const std::string &Path);

/// Other with the indices that Path has where Pattern says [*], the first for the first: what goes with
/// `rail[2].qp` where `rail[*].cq` goes with `rail[*].qp`.
std::string withIndicesOf(const std::string &Path, const std::string &Pattern, const std::string &Other);

} // namespace rdma::clang_ir
