// What has to be known before a request may take its bytes along. Private to the source library.
#pragma once

#include "rewriter/source/Syntax.h"

namespace rdma::source {

/// How many bytes every queue pair takes along that the sources make, as each asks for with
/// `cap.max_inline_data`; a queue pair has no less, or is not made. Nothing where one is made in another way,
/// or where code that is not given may make one.
std::optional<std::uint64_t> inlineLimit(const std::vector<const Syntax *> &Sources);

/// Is the function only ever called, and at these places of the files alone? Then what is known of all of
/// them is known of every call.
bool calledOnlyAt(const clang::FunctionDecl *Called, const std::vector<const Syntax *> &Sources,
                  const std::vector<Place> &Known);

} // namespace rdma::source
