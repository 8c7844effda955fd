#include "rewriter/source/Syntax.h"

namespace rdma::source {
namespace {

using namespace clang;

bool isWord(const std::string &Text) {
  return Text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]->:") ==
         std::string::npos;
}

std::string parenthesized(const std::string &Text) { return isWord(Text) ? Text : "(" + Text + ")"; }

} // namespace

std::string substituted(const Syntax &S, const Expr *E,
                        const std::map<const ValueDecl *, std::string> &Values) {
  E = E->IgnoreParenImpCasts();
  if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    auto Found = Values.find(Ref->getDecl());
    return Found == Values.end() ? S.text(Ref->getSourceRange()) : Found->second;
  }
  if (auto *Member = dyn_cast<MemberExpr>(E)) {
    std::string Name = Member->getMemberDecl()->getNameAsString();
    if (Member->isImplicitAccess())
      return Name;
    std::string Base = substituted(S, Member->getBase(), Values);
    if (!Member->isArrow())
      return parenthesized(Base) + "." + Name;
    // A parameter that stands for an address: (&a)->qp is a.qp.
    if (Base.starts_with("&") && isWord(Base.substr(1)))
      return Base.substr(1) + "." + Name;
    return parenthesized(Base) + "->" + Name;
  }
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

} // namespace rdma::source
