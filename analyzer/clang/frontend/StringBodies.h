// Bodies of std::string's functions.
//
// Up to C++17 the C++ library keeps the longer ones to itself (`extern template`): they are in its headers,
// and calls of them would lead nowhere all the same. Who copies, compares or appends text would call unknown
// code.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>

namespace rdma::clang_ir {

/// Makes them inline while the headers are parsed, so that they are instantiated where they are used.
std::unique_ptr<clang::ASTConsumer> instantiateStrings();

} // namespace rdma::clang_ir
