// What an edit asks of a file's syntax tree. Private to the source library.
#pragma once

#include "ir/Program.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/Frontend/ASTUnit.h>

#include <map>
#include <optional>

namespace rdma::source {

/// Where a statement can be put: before or after another one, with braces when the other stands alone as the
/// body of an if or a loop.
struct Slot {
  const clang::Stmt *At = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  bool NeedsBraces = false;
};

/// A call, or the construction of an object, as the parameters see it.
struct Invocation {
  const clang::Expr *Whole = nullptr;
  const clang::FunctionDecl *Callee = nullptr; ///< null: through a pointer
  const clang::Expr *Object = nullptr;         ///< whose member function is called
  std::vector<const clang::Expr *> Arguments;
};

class Syntax {
public:
  /// Of one file of the unit: the source itself, or a header that it includes.
  Syntax(clang::ASTUnit &Unit, clang::FileID File) : Unit(Unit), Context(Unit.getASTContext()), File(File) {}

  /// The innermost statement of a block, or lone body, that holds the place. Nothing when the place is in a
  /// loop's head or not in a function of this file.
  std::optional<Slot> slot(const Place &Where) const;
  /// Before the outermost loop that has one place in it and not the other, of the same function.
  std::optional<Slot> slotBeforeLoop(const Place &In, const Place &NotIn) const;
  /// Before a loop around the place, in its function: the innermost, or the one around so many inner ones.
  /// Least: so many loops there are around the place.
  std::optional<Slot> slotBeforeLoopAround(const Place &In, unsigned Inner, unsigned Least) const;
  /// The loops around the place in its function, the outermost first.
  std::vector<const clang::Stmt *> loopsAround(const Place &In) const;
  /// The call at the place. A macro may hold several there: Callee names the function that is meant, and
  /// nothing means one of verbs.
  const clang::CallExpr *call(const Place &Where, const std::string &Callee) const;
  /// The same, or an object that is made there.
  std::optional<Invocation> invocation(const Place &Where, const std::string &Callee) const;
  const clang::FunctionDecl *functionAround(const clang::Stmt *S) const;
  const clang::FunctionDecl *functionAt(const Place &Where) const;
  std::string text(clang::SourceRange Range) const;
  /// Byte offsets of the statement with its semicolon.
  std::pair<unsigned, unsigned> extent(const clang::Stmt *S) const;
  std::string indentation(const clang::Stmt *S) const;
  /// Are all variables in the expression, which may be another file's, declared where the slot is?
  bool visible(const clang::Expr *E, const Slot &At) const;
  bool visible(const clang::VarDecl *V, const Slot &At) const;
  /// Are the members that the expression, which may be another file's, names known here?
  bool knowsMembers(const clang::Expr *E) const;
  /// Where the include goes that must come before everything that reaches <infiniband/verbs.h>: the line of
  /// the first include of the file that does. Nothing when none does.
  std::optional<unsigned> firstVerbsInclude() const;
  /// The line of the first include, whatever it includes.
  std::optional<unsigned> firstInclude() const;
  /// Is the place, or the macro that it comes from, written in this file?
  bool holds(clang::SourceLocation Where) const;
  /// Where this source, or a header that is not the system's, first names a function that <rdma/order.h>
  /// replaces: called, or put into a table from which it is called elsewhere. Null: nowhere.
  const clang::Expr *replaced() const;
  /// Where one of these names is defined as a macro, by other code than that header. Not valid: nowhere.
  clang::SourceLocation macroOfReplaced() const;
  unsigned offset(clang::SourceLocation Where) const;
  /// Absolute, as clang_ir::realFile has it: a compile command may run in a folder of its own.
  std::string file(clang::SourceLocation Where) const;
  unsigned offsetOf(const Place &Where) const;
  /// As users are told: Source is what they call the main file. Without a line where there is none.
  Place place(clang::SourceLocation Where, const std::string &Source) const;

  clang::ASTUnit &Unit;
  clang::ASTContext &Context;
  const clang::FileID File;

private:
  template <typename Visitor> void traverse(Visitor &V) const;
  std::optional<Slot> slotAtLoop(const clang::Stmt *Loop) const;

  mutable std::map<unsigned, std::optional<Slot>> Slots; ///< by offset
  mutable std::map<std::pair<unsigned, std::string>, const clang::CallExpr *> Calls;
};

/// Stands for what has no text of its own, inside a macro.
inline constexpr char Unspelled = '\1';

/// What the names of a function's body stand for elsewhere.
struct Bindings {
  std::map<const clang::ValueDecl *, std::string> Values; ///< of parameters; of null: what `this` is
  const clang::DeclContext *Into = nullptr;               ///< what is in namespaces is named from there
};

/// An expression as text, its parts that are parameters replaced: `c->qp` with c := `&a` becomes `a.qp`.
std::string substituted(const Syntax &S, const clang::Expr *E, const Bindings &Names);

/// The object's address as text: `&a`, or `p` for `*p`.
std::string address(const Syntax &S, const clang::Expr *Object, const Bindings &Names);

/// What an expression of a function's body rests on where that is called: the arguments of the parameters
/// that it names, the object of its members, what a lambda captured. False when it names a local variable.
bool outerParts(const clang::Expr *Part, const clang::FunctionDecl *Body, const Invocation &Call,
                std::vector<const clang::Expr *> &Outer);

/// A public method that returns no more than this part of its object, `qp_` or `peer_->qp`, or its address,
/// or what it leads to.
struct Getter {
  const clang::CXXMethodDecl *Method = nullptr;
  const char *Operator = ""; ///< to have the part of what is returned: `*` of its address
};
Getter getterOf(const clang::Expr *E);
/// May the function name the members that the expression names, or call what returns them?
bool accessible(const clang::Expr *E, const clang::FunctionDecl &From);
bool captures(const clang::FunctionDecl *F, const clang::VarDecl *V);

/// Does the call destroy a queue pair, or a function that is not given get something that may hold one?
bool mayEndPairs(const clang::CallExpr *Call);

/// Is the name in none of the words of the text?
bool isNewName(llvm::StringRef Text, llvm::StringRef Name);

/// A local pointer or reference that stays what it was declared as: `struct conn *c = &conns[id];`. What it
/// was declared as; null for any other variable.
const clang::Expr *whatItStandsFor(const clang::ValueDecl *V);

/// Does nothing in the function's body write the variable, nor take its address?
bool staysIn(const clang::FunctionDecl &Body, const clang::ValueDecl *V);

/// All variables that an expression names.
std::vector<const clang::VarDecl *> variables(const clang::Expr *E);

} // namespace rdma::source
