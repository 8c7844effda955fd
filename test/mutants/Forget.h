// Which thing the extraction forgets. Only the copy that test/mutants/extraction.py makes of it knows of
// this.
#pragma once

#include <string_view>
#include <type_traits>

namespace rdma::mutant {

/// Is this one forgotten? Notes that it was asked.
bool on(int Number);
bool row(std::string_view Symbol);

/// Where an extraction begins, and where its sources are compiled: what is slow is behind it then, but
/// topology and targets are read.
enum class Instant { Begin, Compiled };

/// At the instant that RDMA_FORGET_AT names, begin or compiled, this process goes on in one child after the
/// other: in the first with nothing forgotten, and then once for each line of the file RDMA_FORGET_EACH that
/// the first one asked for: a number, or the symbol of a row. The names for which the child failed are
/// written to FILE.noticed, all that were asked for to FILE.asked. Exit status 3: the first one failed.
/// With RDMA_FORGET_DIFFERING, a file, the names for which a child said something else than the first one are
/// added to it, and words and status are the first one's.
void split(Instant Now);

/// Nothing known: an empty one, or, where there is none (llvm::ConstantRange), all that it could be.
template <class Result> Result nothing() {
  if constexpr (std::is_default_constructible_v<Result>)
    return Result{};
  else
    return Result(64U, true);
}

/// What Do returns, or an empty one of it.
template <class Function> auto forget(int Number, Function Do) -> decltype(Do()) {
  using Result = decltype(Do());
  if constexpr (std::is_void_v<Result>) {
    if (!on(Number))
      Do();
  } else if constexpr (std::is_reference_v<Result>) {
    static thread_local std::remove_cvref_t<Result> Empty;
    if (!on(Number))
      return Do();
    return Empty = {};
  } else {
    return on(Number) ? nothing<Result>() : Do();
  }
}

} // namespace rdma::mutant
