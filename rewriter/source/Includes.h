// Where the header goes that inserted calls need.
#pragma once

#include "rewriter/source/Syntax.h"

#include <string>

namespace rdma::source {

/// The offset of the line that the include is put before; nothing where the file needs none. The header
/// replaces functions of verbs, so every source that names one of them needs it, before what does: also one
/// that only puts them into a table, or ends what others have made. And so does a header that calls it.
std::optional<unsigned> placeOfHeader(const Syntax &Tree, const std::string &Contents, bool IsSource,
                                      bool Edited);

/// Does the source include neither the header nor, in a line of its own, anything that reaches verbs? Then
/// there is no place for it, as where a compiler is told to include a header first.
bool lacksHeader(const Syntax &Tree, const std::string &Contents);

} // namespace rdma::source
