#include "rewriter/source/Requests.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

namespace rdma::source {
namespace {

using namespace clang;

/// `&x` as the x of it.
const DeclRefExpr *addressed(const Expr *E) {
  auto *Address = dyn_cast_or_null<UnaryOperator>(E ? E->IgnoreParenCasts() : nullptr);
  return Address && Address->getOpcode() == UO_AddrOf
             ? dyn_cast<DeclRefExpr>(Address->getSubExpr()->IgnoreParenImpCasts())
             : nullptr;
}

bool isNull(const Expr *E, const ASTContext &C) {
  return isa<ImplicitValueInitExpr>(E) ||
         E->isNullPointerConstant(const_cast<ASTContext &>(C), Expr::NPC_ValueDependentIsNotNull);
}

/// What is written to the `next` of each variable.
class Successors : public RecursiveASTVisitor<Successors> {
public:
  bool VisitBinaryOperator(BinaryOperator *B) {
    auto *Member = dyn_cast<MemberExpr>(B->getLHS()->IgnoreParens());
    if (!B->isAssignmentOp() || !Member || Member->getMemberDecl()->getName() != "next")
      return true;
    auto *Of = dyn_cast<DeclRefExpr>(Member->getBase()->IgnoreParenImpCasts());
    if (Of && !Member->isArrow())
      Written[Of->getDecl()].push_back(B->getRHS());
    else
      Elsewhere = true;
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    auto *List = dyn_cast_or_null<InitListExpr>(V->getInit());
    const RecordDecl *Record = V->getType()->getAsRecordDecl();
    if (!List || !Record)
      return true;
    if (!List->isSemanticForm())
      List = List->getSemanticForm();
    for (const FieldDecl *F : Record->fields())
      if (F->getName() == "next" && List && F->getFieldIndex() < List->getNumInits() &&
          !isNull(List->getInit(F->getFieldIndex()), V->getASTContext()))
        Written[V].push_back(List->getInit(F->getFieldIndex()));
    return true;
  }

  std::map<const ValueDecl *, std::vector<const Expr *>> Written;
  bool Elsewhere = false; ///< through a pointer
};

/// `[LAST]`, as the function writes the element of the array with that number; else by the number.
class Spelling : public RecursiveASTVisitor<Spelling> {
public:
  Spelling(const ValueDecl *Array, std::uint64_t Index)
      : Text("[" + std::to_string(Index) + "]"), Array(Array), Index(Index) {}

  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    auto *Of = dyn_cast<DeclRefExpr>(E->getBase()->IgnoreParenImpCasts());
    auto *Name = dyn_cast<DeclRefExpr>(E->getIdx()->IgnoreParenImpCasts());
    auto *Number = Name ? dyn_cast<EnumConstantDecl>(Name->getDecl()) : nullptr;
    if (Of && Of->getDecl() == Array && Number && Number->getInitVal() == Index)
      Text = "[" + Number->getNameAsString() + "]";
    return true;
  }

  std::string Text;

private:
  const ValueDecl *Array;
  std::uint64_t Index;
};

} // namespace

static bool isOfStandard(const Decl *D) {
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(D);
  return Method && Method->getParent()->isInStdNamespace();
}

/// The variable whose elements are posted, and the first of them: `list`, `&list[2]`, or `list.data()` of
/// what the standard library keeps in a row.
static std::pair<const DeclRefExpr *, std::uint64_t> rowFrom(const Expr *E, const ASTContext &C) {
  E = E->IgnoreParenCasts();
  auto *Call = dyn_cast<CXXMemberCallExpr>(E);
  if (const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr)
    return {isOfStandard(Method) && Method->getNameAsString() == "data"
                ? dyn_cast<DeclRefExpr>(Call->getImplicitObjectArgument()->IgnoreParenImpCasts())
                : nullptr,
            0};
  auto *Address = dyn_cast<UnaryOperator>(E);
  if (!Address || Address->getOpcode() != UO_AddrOf)
    return {dyn_cast<DeclRefExpr>(E), 0};
  const Expr *Element = Address->getSubExpr()->IgnoreParens(), *Of = nullptr, *Number = nullptr;
  if (auto *Subscript = dyn_cast<ArraySubscriptExpr>(Element)) {
    Of = Subscript->getBase();
    Number = Subscript->getIdx();
  } else if (auto *At = dyn_cast<CXXOperatorCallExpr>(Element);
             At && At->getOperator() == OO_Subscript && isOfStandard(At->getCalleeDecl())) {
    Of = At->getArg(0);
    Number = At->getArg(1);
  }
  Expr::EvalResult Index;
  if (!Number || !Number->EvaluateAsInt(Index, C) || Index.Val.getInt().isNegative())
    return {nullptr, 0};
  return {dyn_cast<DeclRefExpr>(Of->IgnoreParenImpCasts()), Index.Val.getInt().getZExtValue()};
}

/// Its elements from there on, at most as many as asked for.
static std::vector<ListedRequest> elementsFrom(const Expr *Request, const FunctionDecl &In,
                                               std::size_t Count) {
  const ASTContext &C = In.getASTContext();
  auto [Named, Begin] = rowFrom(Request, C);
  const ConstantArrayType *Array = Named ? C.getAsConstantArrayType(Named->getType()) : nullptr;
  const CXXRecordDecl *Class = Named ? Named->getType()->getAsCXXRecordDecl() : nullptr;
  bool Row = Class && Class->isInStdNamespace(); // as long as the list that was seen to be posted from it
  std::vector<ListedRequest> Found;
  for (std::uint64_t I = Begin; (Row || (Array && Array->getSize().ugt(I))) && Found.size() < Count; ++I) {
    Spelling Element(Named->getDecl(), I);
    Element.TraverseStmt(In.getBody());
    Found.push_back({Named, Element.Text});
  }
  return Found;
}

std::vector<ListedRequest> requestsFrom(const Expr *Request, const FunctionDecl &In, std::size_t Count) {
  if (auto Elements = elementsFrom(Request, In, Count); !Elements.empty())
    return Elements;
  Successors All;
  All.TraverseStmt(In.getBody());
  std::vector<ListedRequest> Found;
  std::vector<const ValueDecl *> Seen;
  for (const Expr *Next = Request; Next && !All.Elsewhere;) {
    const DeclRefExpr *Named = addressed(Next);
    if (!Named)
      return {};
    const ValueDecl *V = Named->getDecl();
    if (std::find(Seen.begin(), Seen.end(), V) != Seen.end())
      return {};
    Seen.push_back(V);
    Found.push_back({Named, ""});
    const auto &Written = All.Written[V];
    if (Written.size() > 1)
      return {};
    Next = Written.empty() || isNull(Written[0], In.getASTContext()) ? nullptr : Written[0];
  }
  return All.Elsewhere ? std::vector<ListedRequest>() : Found;
}

std::pair<std::size_t, std::size_t> placeInList(const Thread &T, StatementId Request) {
  auto IsOfList = [&](StatementId S) {
    return T.Statements[S].Op.Pair != None && T.Statements[S].Where == T.Statements[Request].Where;
  };
  auto Previous = predecessors(T);
  std::size_t Before = 0, Behind = 0;
  for (StatementId S = Request; Previous[S].size() == 1 && IsOfList(Previous[S][0]); ++Before)
    S = Previous[S][0];
  for (StatementId S = Request;
       T.Statements[S].Successors.size() == 1 && IsOfList(T.Statements[S].Successors[0]); ++Behind)
    S = T.Statements[S].Successors[0];
  return {Before, Before + 1 + Behind};
}

namespace {

/// What a statement does with some variables, but for setting members of them to something else.
class Handling : public RecursiveASTVisitor<Handling> {
public:
  explicit Handling(std::vector<const VarDecl *> Of) : Of(std::move(Of)) {}

  bool VisitCallExpr(CallExpr *C) { return !(Found |= names(C)); }
  bool VisitCXXConstructExpr(CXXConstructExpr *C) { return !(Found |= names(C)); }
  bool VisitBinaryOperator(BinaryOperator *B) {
    bool Member = isa<MemberExpr>(B->getLHS()->IgnoreParens());
    return !(Found |= B->isAssignmentOp() && !Member && names(B->getLHS()));
  }
  bool VisitUnaryOperator(UnaryOperator *U) {
    return !(Found |= U->isIncrementDecrementOp() && names(U->getSubExpr()));
  }
  bool Found = false;

private:
  bool names(const Expr *E) const {
    auto All = variables(E);
    return std::any_of(All.begin(), All.end(),
                       [&](const VarDecl *V) { return std::find(Of.begin(), Of.end(), V) != Of.end(); });
  }
  const std::vector<const VarDecl *> Of;
};

const BinaryOperator *flagsSetBy(const Syntax &S, const Stmt *X, const std::string &Request) {
  auto *Set = dyn_cast<BinaryOperator>(X);
  bool Whole = Set && !Set->getBeginLoc().isMacroID() && !Set->getEndLoc().isMacroID() &&
               (Set->getOpcode() == BO_Assign || Set->getOpcode() == BO_OrAssign);
  auto *Value = Whole ? dyn_cast<BinaryOperator>(Set->getRHS()->IgnoreImpCasts()) : nullptr;
  Whole &= !Value || !(Value->isAssignmentOp() || Value->isCommaOp() || Value->isLogicalOp());
  return Whole && S.text(Set->getLHS()->getSourceRange()) == Request + "send_flags" ? Set : nullptr;
}

} // namespace

const Expr *flagsSetAbove(const Syntax &S, const Slot &At, const std::string &Request,
                          const std::vector<const Expr *> &Parts) {
  auto Parents = S.Context.getParents(*At.At);
  const CompoundStmt *Block = Parents.empty() ? nullptr : Parents[0].get<CompoundStmt>();
  if (!Block)
    return nullptr;
  std::vector<const VarDecl *> Of;
  for (const Expr *Part : Parts)
    for (const VarDecl *V : variables(Part))
      Of.push_back(V);
  std::vector<const Stmt *> Above(Block->body_begin(),
                                  std::find(Block->body_begin(), Block->body_end(), At.At));
  for (auto X = Above.rbegin(); X != Above.rend(); ++X) {
    if (const BinaryOperator *Set = flagsSetBy(S, *X, Request))
      return Set->getRHS();
    Handling H(Of);
    H.TraverseStmt(const_cast<Stmt *>(*X));
    if (H.Found || isa<LabelStmt, SwitchCase>(*X))
      return nullptr;
  }
  return nullptr;
}

const CompoundLiteralExpr *literalOf(const Expr *Request) {
  Request = Request->IgnoreParenCasts();
  if (auto *Address = dyn_cast<UnaryOperator>(Request); Address && Address->getOpcode() == UO_AddrOf)
    Request = Address->getSubExpr()->IgnoreParenCasts();
  return dyn_cast<CompoundLiteralExpr>(Request);
}

const Expr *flagsOf(const CompoundLiteralExpr &Literal, const Expr *&Behind) {
  Behind = nullptr;
  auto *List = dyn_cast<InitListExpr>(Literal.getInitializer());
  const InitListExpr *Written = List && List->isSemanticForm() ? List->getSyntacticForm() : List;
  if (!Written || !Literal.getType()->isRecordType())
    return nullptr;
  for (const Expr *Init : Written->inits()) {
    auto *Member = dyn_cast<DesignatedInitExpr>(Init);
    if (!Member || !Member->getDesignator(0)->isFieldDesignator()) {
      Behind = nullptr;
      return nullptr;
    }
    if (Member->size() == 1 && Member->getDesignator(0)->getFieldName()->getName() == "send_flags")
      return Member->getInit();
    Behind = Member;
  }
  return nullptr;
}

} // namespace rdma::source
