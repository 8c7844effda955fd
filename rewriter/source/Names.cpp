#include "rewriter/source/Syntax.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

namespace rdma::source {
namespace {

using namespace clang;

bool isWord(const std::string &Text) {
  return Text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]()->:") ==
         std::string::npos;
}

std::string parenthesized(const std::string &Text) { return isWord(Text) ? Text : "(" + Text + ")"; }

/// What stands before a member's name, of the object at the address: `p->` for `&*p` as well.
std::string memberOf(const std::string &Address) {
  if (Address.starts_with("&*") && isWord(Address.substr(2)))
    return Address.substr(2) + "->";
  return Address.starts_with("&") ? parenthesized(Address.substr(1)) + "." : parenthesized(Address) + "->";
}

/// Is it a variable of a function, but of none that the names go into?
bool isOfOther(const ValueDecl *D, const DeclContext *Into) {
  auto *V = dyn_cast<VarDecl>(D);
  if (!V || !V->isLocalVarDeclOrParm() || !Into)
    return false;
  while (Into && Into != V->getDeclContext())
    Into = Into->getParent();
  return !Into;
}

/// Does the expression name something that is called otherwise, or not known, where the names go?
bool isRenamed(const Expr *E, const Bindings &Names) {
  struct Renamed : RecursiveASTVisitor<Renamed> {
    explicit Renamed(const Bindings &Names) : Names(Names) {}
    bool VisitDeclRefExpr(DeclRefExpr *R) {
      return !(Found |= Names.Values.contains(R->getDecl()) || isOfOther(R->getDecl(), Names.Into));
    }
    bool VisitCXXThisExpr(CXXThisExpr *) {
      auto Object = Names.Values.find(nullptr);
      return !(Found |= Object != Names.Values.end() && Object->second != "this");
    }
    const Bindings &Names;
    bool Found = false;
  } R(Names);
  R.TraverseStmt(const_cast<Expr *>(E));
  return R.Found;
}

/// The namespaces and classes around, the outermost first.
std::vector<std::string> around(const DeclContext *C) {
  std::vector<std::string> Names;
  for (; C; C = C->getParent())
    if (auto *Named = dyn_cast<NamedDecl>(C); Named && (isa<NamespaceDecl>(C) || isa<RecordDecl>(C)))
      if (auto *Space = dyn_cast<NamespaceDecl>(C);
          !Space || !(Space->isInline() || Space->isAnonymousNamespace()))
        Names.insert(Names.begin(), Named->getNameAsString());
  return Names;
}

/// As it is written, or, elsewhere, with what is around it and not around that place.
std::string nameFrom(const DeclContext *Into, const DeclRefExpr *E, const Syntax &S) {
  auto *V = dyn_cast<VarDecl>(E->getDecl());
  if (!Into || !V || !V->hasGlobalStorage() || V->isLocalVarDecl() ||
      isa<ClassTemplateSpecializationDecl>(V->getDeclContext()))
    return S.text(E->getSourceRange());
  std::vector<std::string> Outer = around(Into), Names = around(V->getDeclContext());
  auto Own = std::mismatch(Names.begin(), Names.end(), Outer.begin(), Outer.end()).first;
  std::string Text;
  for (; Own != Names.end(); ++Own)
    Text += *Own + "::";
  return Text + V->getNameAsString();
}

} // namespace

std::string substituted(const Syntax &S, const Expr *E, const Bindings &Names) {
  E = E->IgnoreParenImpCasts();
  const auto &Values = Names.Values;
  auto Object = Values.find(nullptr);
  if (Object != Values.end() && Object->second != "this")
    if (Getter Get = getterOf(E); Get.Method)
      return Get.Operator + memberOf(Object->second) + Get.Method->getNameAsString() + "()";
  if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (auto Found = Values.find(Ref->getDecl()); Found != Values.end())
      return Found->second;
    const Expr *Meant = Names.Into ? whatItStandsFor(Ref->getDecl()) : nullptr;
    return Meant ? substituted(S, Meant, Names) : nameFrom(Names.Into, Ref, S);
  }
  if (auto *Member = dyn_cast<MemberExpr>(E)) {
    std::string Name = Member->getMemberDecl()->getNameAsString();
    if (Member->isImplicitAccess()) {
      bool OfOwn = Object == Values.end() || Object->second == "this";
      return OfOwn ? Name : memberOf(Object->second) + Name;
    }
    std::string Base = substituted(S, Member->getBase(), Names);
    return (Member->isArrow() ? memberOf(Base) : memberOf("&" + Base)) + Name;
  }
  if (isa<CXXThisExpr>(E))
    return Object == Values.end() ? "this" : Object->second;
  // What owns an object stands for its address: p-> and *p.
  if (auto *Call = dyn_cast<CXXOperatorCallExpr>(E); Call && Call->getNumArgs() == 1) {
    std::string Inner = substituted(S, Call->getArg(0), Names);
    if (Call->getOperator() == OO_Arrow)
      return Inner;
    if (Call->getOperator() == OO_Star)
      return Inner.starts_with("&") ? Inner.substr(1) : "*" + parenthesized(Inner);
  }
  // A getter, by its name.
  if (auto *Get = dyn_cast<CXXMemberCallExpr>(E); Get && Get->getNumArgs() == 0)
    return substituted(S, Get->getCallee(), Names) + "()";
  // A function that returns it, of what it is given.
  auto *Call = dyn_cast<CallExpr>(E);
  if (Call && Call->getDirectCallee() && !isa<CXXMemberCallExpr, CXXOperatorCallExpr>(Call)) {
    std::string Text = S.text(Call->getCallee()->getSourceRange()) + "(";
    for (const Expr *Argument : Call->arguments())
      if (!isa<CXXDefaultArgExpr>(Argument))
        Text += (Text.ends_with("(") ? "" : ", ") + substituted(S, Argument, Names);
    return Text + ")";
  }
  if (auto *Unary = dyn_cast<UnaryOperator>(E)) {
    std::string Inner = substituted(S, Unary->getSubExpr(), Names);
    if (Unary->getOpcode() == UO_Deref && Inner.starts_with("&"))
      return Inner.substr(1);
    if (Unary->getOpcode() == UO_AddrOf && Inner.starts_with("*") && isWord(Inner.substr(1)))
      return "&" + Inner;
    if (Unary->getOpcode() == UO_AddrOf || Unary->getOpcode() == UO_Deref)
      return UnaryOperator::getOpcodeStr(Unary->getOpcode()).str() + parenthesized(Inner);
  }
  if (auto *Index = dyn_cast<ArraySubscriptExpr>(E))
    return parenthesized(substituted(S, Index->getBase(), Names)) + "[" +
           substituted(S, Index->getIdx(), Names) + "]";
  if (auto *Binary = dyn_cast<BinaryOperator>(E))
    return parenthesized(substituted(S, Binary->getLHS(), Names)) + " " + Binary->getOpcodeStr().str() + " " +
           parenthesized(substituted(S, Binary->getRHS(), Names));
  return isRenamed(E, Names) ? std::string(1, Unspelled) : S.text(E->getSourceRange());
}

std::string address(const Syntax &S, const Expr *Object, const Bindings &Names) {
  std::string Text = substituted(S, Object, Names);
  return Object->getType()->isPointerType() ? Text : "&" + Text;
}

bool outerParts(const Expr *Part, const FunctionDecl *Body, const Invocation &Call,
                std::vector<const Expr *> &Outer) {
  struct This : RecursiveASTVisitor<This> {
    bool Found = false;
    bool VisitCXXThisExpr(CXXThisExpr *) { return !(Found = true); }
  } T;
  T.TraverseStmt(const_cast<Expr *>(Part));
  if (T.Found) {
    if (!Call.Object)
      return false;
    Outer.push_back(Call.Object);
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
    if (A >= Body->getNumParams() || A >= Call.Arguments.size())
      return false;
    Outer.push_back(Call.Arguments[A]);
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
      const auto *Class = cast<CXXRecordDecl>(Member->getDeclContext());
      const bool IsProtected = Member->getAccess() == AS_protected;
      bool Within = false;
      for (const DeclContext *C = From; C; C = C->getParent())
        if (auto *Around = dyn_cast<CXXRecordDecl>(C))
          Within |= declaresSameEntity(Around, Class) ||
                    (IsProtected && Around->hasDefinition() && Around->isDerivedFrom(Class));
      return Found &= Within;
    }
    bool TraverseStmt(Stmt *S) {
      auto *Part = dyn_cast_or_null<Expr>(S);
      return (Part && getterOf(Part).Method) || RecursiveASTVisitor::TraverseStmt(S);
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
           Name.ends_with("create_qp") || Name.ends_with("create_qp_ex") || Name.ends_with("create_ep") ||
           Name.ends_with("get_request") || Name.ends_with("close_device");
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
