// The folder of the headers of inserted calls.
#pragma once

#include <string>

namespace rdma::module {

/// The one that is installed with this module; empty when there is none beside it.
std::string orderHeaders();

} // namespace rdma::module
