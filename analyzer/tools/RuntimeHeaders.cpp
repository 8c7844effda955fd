// Alone in its file: the module of clang-tidy has one of its own.
#include "analyzer/tools/Inputs.h"

#include <filesystem>

namespace rdma {

std::string runtimeHeaders() {
  std::error_code Failed;
  std::filesystem::path Tool = std::filesystem::read_symlink("/proc/self/exe", Failed);
  std::filesystem::path Beside = (Tool.parent_path() / RDMA_INSTALLED_INCLUDE).lexically_normal();
  return std::filesystem::exists(Beside / "rdma/order.h", Failed) ? Beside.string() : RDMA_RUNTIME_INCLUDE;
}

} // namespace rdma
