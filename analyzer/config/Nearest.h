// "did you mean": the known word that is closest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rdma {

/// Empty when no word is near: more than a third of the letters would have to change.
std::string nearest(std::string_view Word, std::span<const std::string> Known);

/// Is it the other with one letter wrong, missing or too many for every eight?
bool isSlip(std::string_view Word, std::string_view Meant);

/// "; did you mean 'X'?", or nothing.
std::string suggestion(std::string_view Word, std::span<const std::string> Known);

} // namespace rdma
