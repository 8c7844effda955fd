#include "ir/Words.h"

#include <stdexcept>

namespace rdma {

std::string fillIn(std::string_view Words, std::span<const std::string> Names) {
  std::string Result;
  for (std::size_t I = 0; I < Words.size(); ++I) {
    if (Words[I] != '%' || I + 1 == Words.size() || Words[I + 1] < '0' || Words[I + 1] > '9') {
      Result += Words[I];
      continue;
    }
    const std::size_t Name = Words[++I] - '0';
    if (Name >= Names.size())
      throw std::out_of_range("a name is missing: " + std::string(Words));
    Result += Names[Name];
  }
  return Result;
}

} // namespace rdma
