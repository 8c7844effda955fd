// The tables of ir/Orders.h for people.
#pragma once

#include "ir/Orders.h"

#include <string>

namespace rdma {

/// Both orders of a model: a row for what is earlier in program order, a column for what is later.
std::string ordersAsText(Model M);

} // namespace rdma
