// Which thing the extraction forgets. Only the copy that test/mutants/extraction.py makes of it knows of
// this.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace rdma::mutant {

/// From the environment, RDMA_FORGET: a number, or the name of a row. Nothing: none.
inline const char *forgotten() {
  static const char *Name = std::getenv("RDMA_FORGET");
  return Name ? Name : "";
}

inline bool on(int Number) {
  static const int On = *forgotten() >= '0' && *forgotten() <= '9' ? std::atoi(forgotten()) : -1;
  return On == Number;
}

inline bool row(std::string_view Symbol) { return Symbol == forgotten(); }

/// What Do returns, or an empty one of it.
template <class Function> auto forget(int Number, Function Do) -> decltype(Do()) {
  using Result = decltype(Do());
  if constexpr (std::is_void_v<Result>) {
    if (!on(Number))
      Do();
  } else {
    return on(Number) ? Result{} : Do();
  }
}

} // namespace rdma::mutant
