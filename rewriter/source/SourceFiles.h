// The files that an edit may change: the sources under analysis, parsed, and the headers that they include.
// Private to the source library.
#pragma once

#include "analyzer/clang/Extract.h"
#include "rewriter/source/Layout.h"
#include "rewriter/source/Syntax.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rdma::source {

struct EditedFile {
  std::string Name, Contents;
  std::unique_ptr<Syntax> Tree;
  bool IsSource = false, MayChange = true;
  std::map<unsigned, Wrapping> Insertions; ///< by where the statement begins
  std::map<unsigned, unsigned> Removed;    ///< from where to where
  std::map<unsigned, std::string> Added;   ///< within a statement
};

class SourceFiles {
public:
  explicit SourceFiles(const ExtractionOptions &Options) : Options(Options) {}

  const std::vector<std::string> &sources() const { return Options.Files; }
  /// Null: it is neither a source nor a header that one of them includes.
  EditedFile *find(const std::string &Name);
  /// Those that were asked for; a header that has several names is one of them.
  const std::vector<std::unique_ptr<EditedFile>> &all() const { return All; }

private:
  std::unique_ptr<clang::ASTUnit> parsed(const std::string &Source) const;
  clang::ASTUnit &unit(const std::string &Source);
  EditedFile *open(const std::string &Name);

  ExtractionOptions Options;
  std::map<std::string, std::unique_ptr<clang::ASTUnit>> Units; ///< by source
  std::vector<std::unique_ptr<EditedFile>> All;
  std::map<std::string, EditedFile *> ByName;
};

/// A part of a function that a chain of calls leads through.
struct Standing {
  const EditedFile *In = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  const clang::Stmt *Part = nullptr;
  std::size_t Level = 0; ///< of the chain
};
Standing standingAt(SourceFiles &Files, const EditedFile &In, const Slot &At,
                    const std::vector<Place> &Chain);
/// The call that leads there; without a function where there is none, or none that is known.
Standing callerOf(SourceFiles &Files, const Standing &Inner, const std::vector<Place> &Chain);

} // namespace rdma::source
