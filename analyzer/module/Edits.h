// What rdma-fix would write into a file, in the parts that clang-tidy takes: hints of its diagnostics.
#pragma once

#include "rewriter/Fix.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>

#include <vector>

namespace rdma::module {

/// The edits of one function belong together, and go with its first finding that is shown; those of no
/// function, such as an #include, with the first of their file, and what is left with the first of all. None
/// is given away twice: clang-tidy would insert it twice.
class Edits {
public:
  /// Nothing, when it is not an edit of the sources as clang-tidy has read them.
  Edits(const Fix &F, clang::ASTContext &Parsed);

  /// Those that go with the finding at Here, which is shown. What belongs to other Findings is told later, or
  /// not at all.
  std::vector<clang::FixItHint> take(clang::SourceLocation Here,
                                     const std::vector<clang::SourceLocation> &Findings);

private:
  struct Edit {
    clang::CharSourceRange Range;
    std::string Text;
    clang::SourceLocation Function; ///< where its function begins, or invalid
  };
  clang::SourceLocation functionOf(clang::SourceLocation At) const;

  const clang::SourceManager &Sources;
  std::vector<clang::SourceRange> Functions; ///< those with a body, from the first byte to the last token's
  std::vector<Edit> All;
};

} // namespace rdma::module
