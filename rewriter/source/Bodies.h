// The functions of the program, and what they may call. Private to the source library.
#pragma once

#include "analyzer/clang/api/ApiTable.h"
#include "rewriter/source/SourceFiles.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <map>
#include <string>

namespace rdma::source {

/// The row of the table of functions that are known by name. Null: there is none, or the program has a
/// function of its own that is called so.
const clang_ir::ApiRow *rowOf(const clang::FunctionDecl &Callee);
/// Of the C++ library, as its headers have it.
bool isOfLibrary(const clang::FunctionDecl &Callee);
/// May another body be called in its place?
bool mayBeOverridden(const clang::FunctionDecl &Callee);

class Bodies {
public:
  explicit Bodies(SourceFiles &Files) : Files(Files) {}

  struct Body {
    const EditedFile *In = nullptr; ///< the source in whose tree it is, if in one of its headers
    const clang::FunctionDecl *Function = nullptr;
  };
  /// In the same tree, or of that name and type in another source. No function: its code is not given.
  Body of(const clang::FunctionDecl &Callee);

  using Rows = llvm::function_ref<bool(const clang_ir::ApiRow &)>;
  /// May it call one of these, itself, or in what it calls, or by handing on the name of a function? Code
  /// that is not known may.
  bool mayCall(const clang::FunctionDecl &Function, Rows Are);
  bool mayCall(const clang::Stmt &Part, clang::ASTContext &Context, Rows Are);

private:
  void find();

  SourceFiles &Files;
  std::map<const clang::ASTContext *, const EditedFile *> Sources;
  std::map<std::string, Body> ByName;
};

} // namespace rdma::source
