// Written programs as input of the extraction.
#pragma once

#include "Sources.h"
#include "analyzer/clang/Extract.h"

namespace rdma::test {

ExtractionOptions optionsFor(const Sources &S);

/// Cases run in processes of their own: what they share is compiled before.
void compileHeaders(const Sources &S);

} // namespace rdma::test
