// The comments and blank lines of litmus text, which the program that is read from it does not hold.
#pragma once

#include <string>

namespace rdma {

/// Text, which was written from what Old was read to, with the comments and blank lines of Old: each stays
/// with the line of code that it stands above, or at the end of.
std::string withCommentsOf(const std::string &Old, const std::string &Text);

} // namespace rdma
