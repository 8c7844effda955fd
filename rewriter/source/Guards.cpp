#include "rewriter/source/Guards.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace rdma::source {
namespace {

using namespace clang;

/// By name, as each source has its own tree.
struct Pointers {
  std::set<std::string> Names;
  std::set<std::string>
      Holders; ///< the structs that they are members of, which may say whether they lead anywhere
};

void note(const ValueDecl &D, Pointers &In) {
  In.Names.insert(D.getQualifiedNameAsString());
  if (auto *Field = dyn_cast<FieldDecl>(&D))
    In.Holders.insert(Field->getParent()->getQualifiedNameAsString());
}

/// What leads to the queue pair at any level, and itself.
Pointers pointersOf(const Named &What) {
  Carriers All = What.Through;
  for (const Expr *Name : What.Names) {
    All.merge(carriersIn(Name));
    if (const ValueDecl *D = named(Name))
      All.insert(D);
  }
  Pointers Found;
  for (const ValueDecl *D : All)
    note(*D, Found);
  return Found;
}

/// A flag or a state, as no number is that is compared.
bool isFlag(const ValueDecl &D, bool IsCompared) {
  QualType Of = D.getType();
  return Of->isBooleanType() || Of->isEnumeralType() || (Of->isIntegerType() && !IsCompared);
}

/// Which of the pointers a condition asks for, or for a flag beside one: not by what it finds through
/// them, nor by what it hands to calls.
class Asked : public RecursiveASTVisitor<Asked> {
public:
  explicit Asked(const Pointers &Of) : Of(Of) {}
  bool TraverseMemberExpr(MemberExpr *E) { return note(E); }
  bool VisitDeclRefExpr(DeclRefExpr *E) { return note(E); }
  bool TraverseUnaryOperator(UnaryOperator *U) {
    return U->getOpcode() != UO_LNot || RecursiveASTVisitor::TraverseUnaryOperator(U);
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    for (const Expr *Side : {B->getLHS(), B->getRHS()})
      if (!B->isLogicalOp())
        Compared.insert(Side->IgnoreParenImpCasts());
    return true;
  }
  bool TraverseArraySubscriptExpr(ArraySubscriptExpr *) { return true; }
  bool TraverseCallExpr(CallExpr *) { return true; }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr *C) {
    return !isa_and_nonnull<CXXConversionDecl>(C->getMethodDecl()) || note(C->getImplicitObjectArgument());
  }
  bool Found = false;

private:
  bool note(const Expr *E) {
    const ValueDecl *D = named(E);
    const Expr *Meant = D ? whatItStandsFor(D) : nullptr;
    auto *Field = dyn_cast_or_null<FieldDecl>(D);
    Found |= D && Of.Names.contains(D->getQualifiedNameAsString());
    Found |= Field && Of.Holders.contains(Field->getParent()->getQualifiedNameAsString()) &&
             isFlag(*Field, Compared.contains(E->IgnoreParenImpCasts()));
    return Meant ? note(Meant) : true;
  }
  const Pointers &Of;
  std::set<const Expr *> Compared;
};

bool asks(const Stmt *Condition, const Pointers &Of) {
  Asked A(Of);
  if (Condition)
    A.TraverseStmt(const_cast<Stmt *>(Condition));
  return A.Found;
}

/// May what is behind the statement not be reached, for it leaves? To end the process is no way on.
bool leaves(const Stmt *S) {
  struct Leaves : RecursiveASTVisitor<Leaves> {
    bool VisitReturnStmt(ReturnStmt *) { return !(Found = true); }
    bool VisitGotoStmt(GotoStmt *) { return !(Found = true); }
    bool VisitBreakStmt(BreakStmt *) { return !(Found = true); }
    bool VisitContinueStmt(ContinueStmt *) { return !(Found = true); }
    bool VisitCXXThrowExpr(CXXThrowExpr *) { return !(Found = true); }
    bool Found = false;
  } L;
  L.TraverseStmt(const_cast<Stmt *>(S));
  return L.Found;
}

/// What decides whether the child is reached once the parent is, and asks for one of the pointers.
void findGuards(const Stmt *Parent, const Stmt *Child, const Pointers &Of, std::set<const Stmt *> &Found) {
  const Stmt *Condition = nullptr;
  if (auto *If = dyn_cast<IfStmt>(Parent))
    Condition = Child == If->getThen() || Child == If->getElse() ? If->getCond() : nullptr;
  else if (auto *While = dyn_cast<WhileStmt>(Parent))
    Condition = Child == While->getBody() ? While->getCond() : nullptr;
  else if (auto *For = dyn_cast<ForStmt>(Parent))
    Condition = Child == For->getBody() || Child == For->getInc() ? For->getCond() : nullptr;
  else if (auto *Choice = dyn_cast<ConditionalOperator>(Parent))
    Condition = Child == Choice->getCond() ? nullptr : Choice->getCond();
  else if (auto *Both = dyn_cast<BinaryOperator>(Parent); Both && Both->isLogicalOp())
    Condition = Child == Both->getRHS() ? Both->getLHS() : nullptr;
  if (asks(Condition, Of))
    Found.insert(Condition);
  if (!isa<CompoundStmt>(Parent))
    return;
  for (const Stmt *Above : Parent->children()) {
    if (Above == Child)
      return;
    auto *If = dyn_cast_or_null<IfStmt>(Above);
    if (If && asks(If->getCond(), Of) && leaves(If))
      Found.insert(If->getCond());
  }
}

std::set<const Stmt *> guardsOf(const Syntax &S, const Stmt *Of, const Pointers &Led) {
  std::set<const Stmt *> Found;
  for (const Stmt *Child = Of; Child;) {
    auto Parents = S.Context.getParents(*Child);
    const Stmt *Parent = Parents.empty() ? nullptr : Parents[0].get<Stmt>();
    if (auto *V = Parents.empty() || Parent ? nullptr : Parents[0].get<VarDecl>()) {
      auto OfVariable = S.Context.getParents(*V);
      Parent = OfVariable.empty() ? nullptr : OfVariable[0].get<Stmt>();
    }
    if (Parent)
      findGuards(Parent, Child, Led, Found);
    Child = Parent;
  }
  return Found;
}

/// Of a parameter that is given an address there is nothing to ask.
void forgetGivenAddresses(const FunctionDecl &Body, const Invocation &Call, Pointers &Led) {
  for (unsigned A = 0; A < Body.getNumParams() && A < Call.Arguments.size(); ++A) {
    auto *Given = dyn_cast<UnaryOperator>(Call.Arguments[A]->IgnoreParenImpCasts());
    if (Given && Given->getOpcode() == UO_AddrOf)
      Led.Names.erase(Body.getParamDecl(A)->getQualifiedNameAsString());
  }
}

std::optional<Invocation> invocationAt(SourceFiles &Files, const std::vector<Place> &Chain, std::size_t I) {
  EditedFile *F = I < Chain.size() ? Files.find(Chain[I].File) : nullptr;
  return F ? F->Tree->invocation(Chain[I], I ? Chain[I - 1].Function : "") : std::nullopt;
}

} // namespace

bool isGuarded(SourceFiles &Files, const std::vector<Place> &Chain, std::size_t Level, const Named &What,
               const std::optional<Slot> &At) {
  const Pointers All = pointersOf(What);
  for (std::size_t I = 0; I <= Level && I < Chain.size(); ++I) {
    auto Call = invocationAt(Files, Chain, I), Outer = invocationAt(Files, Chain, I + 1);
    if (!Call || (I == Level && !At))
      continue;
    const Syntax &Tree = *Files.find(Chain[I].File)->Tree;
    const FunctionDecl *Body = Tree.functionAround(Call->Whole);
    Pointers Led = All;
    if (Body && Outer)
      forgetGivenAddresses(*Body, *Outer, Led);
    std::set<const Stmt *> Guards = guardsOf(Tree, Call->Whole, Led);
    if (I == Level)
      for (const Stmt *Too : guardsOf(Tree, At->At, Led))
        Guards.erase(Too);
    if (!Guards.empty())
      return true;
  }
  return false;
}

} // namespace rdma::source
