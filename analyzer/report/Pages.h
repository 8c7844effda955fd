// The page of each check (pages/NAME.md), built in.
#pragma once

#include <string>
#include <string_view>

namespace rdma {

struct Page {
  std::string Description; ///< its first paragraph
  std::string Markdown;    ///< all of it
  std::string Uri;         ///< where it is installed
};

/// Throws std::out_of_range for a name that is no check's.
const Page &pageOf(std::string_view Check);

} // namespace rdma
