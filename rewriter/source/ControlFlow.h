// The control flow of a function, step by step. Private to the source library.
#pragma once

#include <clang/Analysis/CFG.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <memory>

namespace rdma::source {

/// Each expression is a step, and so is each object that is destroyed. Null: of a template nothing is known.
std::unique_ptr<clang::CFG> graphOf(const clang::FunctionDecl &Function, clang::ASTContext &Context);
/// Of one statement alone.
std::unique_ptr<clang::CFG> graphOf(const clang::Stmt &Part, clang::ASTContext &Context);

/// Null: the step is an object that is destroyed, or the like.
const clang::Stmt *statementOf(const clang::CFGElement &Step);

/// The function that the step itself calls: by name, as a constructor, as a destructor, or to clean up. Null:
/// it calls none, or one that is not known.
const clang::FunctionDecl *calledBy(const clang::CFGElement &Step, clang::ASTContext &Context);
/// Does the step call a function that it does not name?
bool callsUnnamed(const clang::CFGElement &Step);

/// What may hold at the exit, as a set of bits. Begin: at the entry. Does: what holds behind a step by what
/// holds before it, so that more before is no less behind; it is asked again where ways with other bits meet.
/// Where no bit holds, no way goes on.
unsigned flow(const clang::CFG &Graph, unsigned Begin,
              llvm::function_ref<unsigned(const clang::CFGElement &, unsigned)> Does);

} // namespace rdma::source
