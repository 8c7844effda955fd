// Sources that several programs of a database share are compiled once in a run.
#pragma once

#include <filesystem>
#include <string>

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

} // namespace rdma
