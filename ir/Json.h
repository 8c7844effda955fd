// The RDMA program as JSON, for other tools: everything ir/Program.h holds, sites included.
#pragma once

#include "ir/Program.h"

#include <nlohmann/json.hpp>

namespace rdma {

nlohmann::json toJson(const Program &P);
/// Throws InputError (ir/Litmus.h) naming File when the text is not JSON or not a program.
Program programFromJson(const nlohmann::json &J, const std::string &File);
Program parseProgramJson(std::string_view Text, const std::string &File);

} // namespace rdma
