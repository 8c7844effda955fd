// The registry of remarks, each entry by its name: words::PollUnknown.
#pragma once

#include "ir/Words.h"

namespace rdma::clang_ir::words {

#define TEXT(Id, Text) inline constexpr Words<namesIn(Text)> Id{Text};
#include "analyzer/clang/program/RemarkTexts.def"
#undef TEXT

} // namespace rdma::clang_ir::words
