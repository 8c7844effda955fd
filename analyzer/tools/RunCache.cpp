#include "analyzer/tools/RunCache.h"

#include "analyzer/tools/Options.h"

#include <cstdlib>

namespace rdma {

namespace fs = std::filesystem;

RunCache::RunCache() {
  std::string Name = (fs::temp_directory_path() / "rdma-tidy-XXXXXX").string();
  if (!mkdtemp(Name.data()))
    throw UsageError("cannot make a folder in '" + fs::temp_directory_path().string() + "'");
  Folder = Name;
}

RunCache::~RunCache() {
  std::error_code Ignored;
  fs::remove_all(Folder, Ignored);
}

} // namespace rdma
