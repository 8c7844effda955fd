#include "analyzer/module/Headers.h"
#include "analyzer/tools/Inputs.h"

#include <dlfcn.h>
#include <filesystem>

namespace rdma {

std::string module::orderHeaders() {
  Dl_info Own;
  if (!dladdr(reinterpret_cast<const void *>(&module::orderHeaders), &Own))
    return "";
  std::error_code Failed;
  auto Folder = std::filesystem::canonical(Own.dli_fname, Failed).parent_path() / RDMA_INSTALLED_INCLUDE;
  return std::filesystem::exists(Folder / "rdma/order.h", Failed) ? Folder.lexically_normal().string() : "";
}

/// In the place of the one of analyzer/tools: /proc/self/exe is clang-tidy here.
std::string runtimeHeaders() { return module::orderHeaders(); }

} // namespace rdma
