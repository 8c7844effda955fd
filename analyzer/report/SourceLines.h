// Lines of the files that places point into, each file read once.
#pragma once

#include "ir/Program.h"

#include <map>
#include <string>
#include <vector>

namespace rdma {

/// Contents that stand for files not yet written; empty for what is on disk.
using SourceOverlay = std::map<std::string, std::string>;

class SourceLines {
public:
  explicit SourceLines(const SourceOverlay &Overlay) : Overlay(Overlay) {}
  /// Nothing for a file that cannot be read, or a line it has not.
  const std::string *line(const Place &At);
  const std::vector<std::string> &lines(const std::string &File);

private:
  std::vector<std::string> read(const std::string &File) const;

  const SourceOverlay Overlay;
  std::map<std::string, std::vector<std::string>> Files;
};

} // namespace rdma
