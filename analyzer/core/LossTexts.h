// The registry of what is lost when orders are looked for, each entry by its name: words::OneMemory.
#pragma once

#include "ir/Words.h"

namespace rdma::words {

#define TEXT(Id, Text) inline constexpr Words<namesIn(Text)> Id{Text};
#include "analyzer/core/LossTexts.def"
#undef TEXT

} // namespace rdma::words
