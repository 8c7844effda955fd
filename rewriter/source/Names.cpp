#include "rewriter/source/Syntax.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace rdma::source {
namespace {

using namespace clang;

bool isWord(const std::string &Text) {
  return Text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]()->:") ==
         std::string::npos;
}

std::string parenthesized(const std::string &Text) { return isWord(Text) ? Text : "(" + Text + ")"; }

/// What stands before a member's name, of the object at the address.
std::string memberOf(const std::string &Address) {
  return Address.starts_with("&") ? parenthesized(Address.substr(1)) + "." : parenthesized(Address) + "->";
}

} // namespace

std::string substituted(const Syntax &S, const Expr *E,
                        const std::map<const ValueDecl *, std::string> &Values) {
  E = E->IgnoreParenImpCasts();
  auto Object = Values.find(nullptr);
  if (Object != Values.end() && Object->second != "this")
    if (const CXXMethodDecl *Getter = getterOf(E))
      return memberOf(Object->second) + Getter->getNameAsString() + "()";
  if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (auto Found = Values.find(Ref->getDecl()); Found != Values.end())
      return Found->second;
    const Expr *Meant = Values.empty() ? nullptr : whatItStandsFor(Ref->getDecl());
    return Meant ? substituted(S, Meant, Values) : S.text(Ref->getSourceRange());
  }
  if (auto *Member = dyn_cast<MemberExpr>(E)) {
    std::string Name = Member->getMemberDecl()->getNameAsString();
    if (Member->isImplicitAccess()) {
      bool OfOwn = Object == Values.end() || Object->second == "this";
      return OfOwn ? Name : memberOf(Object->second) + Name;
    }
    std::string Base = substituted(S, Member->getBase(), Values);
    if (!Member->isArrow())
      return parenthesized(Base) + "." + Name;
    // A parameter that stands for an address: (&a)->qp is a.qp.
    if (Base.starts_with("&") && isWord(Base.substr(1)))
      return Base.substr(1) + "." + Name;
    return parenthesized(Base) + "->" + Name;
  }
  if (isa<CXXThisExpr>(E))
    return Object == Values.end() ? "this" : Object->second;
  // What owns an object stands for its address: p-> and *p.
  if (auto *Call = dyn_cast<CXXOperatorCallExpr>(E); Call && Call->getNumArgs() == 1) {
    std::string Inner = substituted(S, Call->getArg(0), Values);
    if (Call->getOperator() == OO_Arrow)
      return Inner;
    if (Call->getOperator() == OO_Star)
      return Inner.starts_with("&") ? Inner.substr(1) : "*" + parenthesized(Inner);
  }
  // A getter, by its name.
  if (auto *Get = dyn_cast<CXXMemberCallExpr>(E); Get && Get->getNumArgs() == 0)
    return substituted(S, Get->getCallee(), Values) + "()";
  if (auto *Unary = dyn_cast<UnaryOperator>(E)) {
    std::string Inner = substituted(S, Unary->getSubExpr(), Values);
    if (Unary->getOpcode() == UO_Deref && Inner.starts_with("&"))
      return Inner.substr(1);
    if (Unary->getOpcode() == UO_AddrOf || Unary->getOpcode() == UO_Deref)
      return UnaryOperator::getOpcodeStr(Unary->getOpcode()).str() + parenthesized(Inner);
  }
  if (auto *Index = dyn_cast<ArraySubscriptExpr>(E))
    return parenthesized(substituted(S, Index->getBase(), Values)) + "[" +
           substituted(S, Index->getIdx(), Values) + "]";
  return S.text(E->getSourceRange());
}

const Expr *objectOf(const CallExpr *C) {
  auto *Member = dyn_cast<CXXMemberCallExpr>(C);
  return Member ? Member->getImplicitObjectArgument() : nullptr;
}

std::string address(const Syntax &S, const Expr *Object,
                    const std::map<const ValueDecl *, std::string> &Values) {
  std::string Text = substituted(S, Object, Values);
  return Object->getType()->isPointerType() ? Text : "&" + Text;
}

unsigned firstArgument(const CallExpr *C) {
  return isa<CXXOperatorCallExpr>(C) && isa_and_nonnull<CXXMethodDecl>(C->getDirectCallee()) ? 1 : 0;
}

bool outerParts(const Expr *Part, const FunctionDecl *Body, const CallExpr *Call,
                std::vector<const Expr *> &Outer) {
  struct This : RecursiveASTVisitor<This> {
    bool Found = false;
    bool VisitCXXThisExpr(CXXThisExpr *) { return !(Found = true); }
  } T;
  T.TraverseStmt(const_cast<Expr *>(Part));
  if (T.Found) {
    const Expr *Object = objectOf(Call);
    if (!Object)
      return false;
    Outer.push_back(Object);
  }
  for (const VarDecl *V : variables(Part)) {
    if (V->hasGlobalStorage() && !V->isLocalVarDecl())
      continue;
    if (captures(Body, V)) {
      Outer.push_back(Part);
      continue;
    }
    if (const Expr *Meant = whatItStandsFor(V)) {
      if (!outerParts(Meant, Body, Call, Outer))
        return false;
      continue;
    }
    unsigned A = 0;
    while (A < Body->getNumParams() && Body->getParamDecl(A) != V)
      ++A;
    if (A >= Body->getNumParams() || firstArgument(Call) + A >= Call->getNumArgs())
      return false;
    Outer.push_back(Call->getArg(firstArgument(Call) + A));
  }
  return true;
}

bool accessible(const Expr *E, const FunctionDecl &From) {
  struct Members : RecursiveASTVisitor<Members> {
    explicit Members(const DeclContext *From) : From(From) {}
    bool VisitMemberExpr(MemberExpr *M) {
      const ValueDecl *Member = M->getMemberDecl();
      if (Member->getAccess() != AS_private && Member->getAccess() != AS_protected)
        return true;
      const auto *Class = cast<Decl>(Member->getDeclContext())->getCanonicalDecl();
      bool Within = false;
      for (const DeclContext *C = From; C; C = C->getParent())
        Within |= cast<Decl>(C)->getCanonicalDecl() == Class;
      return Found &= Within;
    }
    bool TraverseStmt(Stmt *S) {
      auto *Part = dyn_cast_or_null<Expr>(S);
      return (Part && getterOf(Part)) || RecursiveASTVisitor::TraverseStmt(S);
    }
    const DeclContext *From;
    bool Found = true;
  } V(&From);
  V.TraverseStmt(const_cast<Expr *>(E));
  return V.Found;
}

bool isNewName(StringRef Text, StringRef Name) {
  auto IsWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  for (std::size_t At = 0; (At = Text.find(Name, At)) != StringRef::npos; At += Name.size())
    if ((At == 0 || !IsWord(Text[At - 1])) && !IsWord(Text.substr(At + Name.size()).take_front(1).front()))
      return false;
  return true;
}

/// Something that may be changed through the argument and is more than numbers.
static bool givesRecord(QualType Given) {
  QualType To = Given->isReferenceType() || Given->isPointerType() ? Given->getPointeeType() : Given;
  if (To->isPointerType())
    return givesRecord(To);
  // Of what verbs has, a completion queue or a memory region leads to no queue pair.
  const RecordDecl *Record = To->getAsRecordDecl();
  return Record && !To.isConstQualified() &&
         (!Record->getName().starts_with("ibv_") || Record->getName().starts_with("ibv_qp"));
}

bool mayEndPairs(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (!Callee || !Callee->getIdentifier())
    return true;
  StringRef Name = Callee->getName();
  if (Name.starts_with("ibv_") || Name.starts_with("rdma_"))
    return Name.contains("destroy_qp") || Name.contains("destroy_ep") || Name.contains("destroy_id") ||
           Name.ends_with("create_qp") || Name.ends_with("create_qp_ex") || Name.ends_with("close_device");
  const FunctionDecl *Body = nullptr;
  if (Callee->hasBody(Body))
    return false; // what it does is seen where it does it
  // A function of the system that gets nothing knows of no queue pair.
  if (Callee->getNumParams() == 0 && !isa<CXXMethodDecl>(Callee) &&
      Callee->getASTContext().getSourceManager().isInSystemHeader(Callee->getLocation()))
    return false;
  if (Callee->getNumParams() == 0)
    return !isa<CXXMethodDecl>(Callee) || !cast<CXXMethodDecl>(Callee)->isConst();
  for (unsigned I = 0; I < Callee->getNumParams(); ++I) {
    QualType Wanted = Callee->getParamDecl(I)->getType();
    bool Untyped = Wanted->isVoidPointerType() && I < Call->getNumArgs();
    if (givesRecord(Untyped ? Call->getArg(I)->IgnoreParenImpCasts()->getType() : Wanted))
      return true;
  }
  return false;
}

} // namespace rdma::source
