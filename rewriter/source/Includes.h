// Where the header goes that inserted calls need.
#pragma once

#include "rewriter/source/Syntax.h"

#include <string>

namespace rdma::source {

/// The offset of the line that the include is put before; nothing where the file needs none. The header notes
/// what a source posts, so every source that posts needs it, before the functions that do; and so does a
/// header that calls it.
std::optional<unsigned> placeOfHeader(const Syntax &Tree, const std::string &Contents, bool IsSource,
                                      bool Edited);

} // namespace rdma::source
