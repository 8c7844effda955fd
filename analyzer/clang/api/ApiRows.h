// The parts of the table of functions, by library.
#pragma once

#include "analyzer/clang/api/ApiTable.h"

#include <span>

namespace rdma::clang_ir {

std::span<const ApiRow> rowsOfVerbs();
std::span<const ApiRow> rowsOfThread();
std::span<const ApiRow> rowsOfSystem();
std::span<const ApiRow> rowsOfLibrary();
std::span<const ApiRow> rowsOfStreams();

} // namespace rdma::clang_ir
