// Which places clang-tidy shows: what its filters leave out is neither told nor edited.
#pragma once

#include <clang-tidy/ClangTidyDiagnosticConsumer.h>
#include <clang/Basic/SourceManager.h>

namespace rdma::module {

/// By --line-filter, --header-filter, --exclude-header-filter and --system-headers, and by the configuration.
class Shown {
public:
  Shown(const clang::tidy::ClangTidyContext &Context, const clang::SourceManager &Sources)
      : Context(Context), Sources(Sources) {}

  /// One place that passes each kind of filter is enough, be it that of a note.
  bool anyOf(const std::vector<clang::SourceLocation> &Places) const;

private:
  bool passesLines(clang::SourceLocation At) const;
  bool passesHeaders(clang::SourceLocation At) const;

  const clang::tidy::ClangTidyContext &Context;
  const clang::SourceManager &Sources;
};

} // namespace rdma::module
