// Programs of a compile database that are the two ends of a system, where no topology says so.
#pragma once

#include "analyzer/tools/Units.h"

#include <filesystem>

namespace rdma {

/// A folder for what is compiled more than once in a run; gone with it.
class RunCache {
public:
  RunCache();
  ~RunCache();
  RunCache(const RunCache &) = delete;
  RunCache &operator=(const RunCache &) = delete;
  std::string path() const { return Folder.string(); }

private:
  std::filesystem::path Folder;
};

/// Two programs become one unit where they show each other as the other end of their queue pairs, and show no
/// third one so. Not those that have a topology, and none where no topology may be assumed. Compiles Threads
/// of them at a time.
std::vector<Unit> joinEnds(const Options &O, std::vector<Unit> Units, unsigned Threads);

} // namespace rdma
