#include "rewriter/source/Requests.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <set>

namespace rdma::source {
namespace {

using namespace clang;

/// By its number; nothing for one that varies.
std::optional<std::string> subscript(const Expr *Index, const ASTContext &C) {
  Index = Index->IgnoreParenImpCasts();
  Expr::EvalResult Number;
  if (Index->isValueDependent() || !Index->EvaluateAsInt(Number, C) || Number.Val.getInt().isNegative())
    return std::nullopt;
  return "[" + std::to_string(Number.Val.getInt().getZExtValue()) + "]";
}

bool isOfStandard(const Decl *D) {
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(D);
  return Method && Method->getParent()->isInStdNamespace();
}

/// What an expression names: `r`, `w[1]`, `p.first`, `b->first[0]`, `first_`.
std::optional<ListedRequest> named(const Expr *E, const ASTContext &C) {
  E = E->IgnoreParenImpCasts();
  if (isa<DeclRefExpr>(E))
    return ListedRequest{E, ""};
  const Expr *Of = nullptr;
  std::optional<std::string> Behind;
  if (auto *Member = dyn_cast<MemberExpr>(E)) {
    if (Member->isImplicitAccess())
      return ListedRequest{E, ""};
    Of = Member->getBase();
    Behind = (Member->isArrow() ? "->" : ".") + Member->getMemberDecl()->getNameAsString();
  } else if (auto *Element = dyn_cast<ArraySubscriptExpr>(E)) {
    Of = Element->getBase();
    Behind = subscript(Element->getIdx(), C);
  } else if (auto *At = dyn_cast<CXXOperatorCallExpr>(E);
             At && At->getOperator() == OO_Subscript && isOfStandard(At->getCalleeDecl())) {
    Of = At->getArg(0);
    Behind = subscript(At->getArg(1), C);
  }
  auto Found = Of && Behind ? named(Of, C) : std::nullopt;
  if (Found)
    Found->Element += *Behind;
  return Found;
}

/// What a pointer leads to, by the name of that where it is written: the x of `&x`, the `a[0]` of `a`.
std::optional<ListedRequest> pointee(const Expr *E, const ASTContext &C) {
  E = E->IgnoreParenCasts();
  if (auto *Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf)
    return named(Address->getSubExpr(), C);
  auto *Ref = dyn_cast<DeclRefExpr>(E);
  if (const Expr *Meant = Ref ? whatItStandsFor(Ref->getDecl()) : nullptr)
    if (auto Found = pointee(Meant, C); Found && !Found->IsAddress)
      return Found;
  auto Found = named(E, C);
  if (Found && C.getAsArrayType(E->getType()))
    Found->Element += "[0]";
  else if (Found)
    Found->IsAddress = true;
  return Found;
}

/// Two that are equal name one request; `*w` is `w[0]`.
std::pair<const ValueDecl *, std::string> keyOf(const ListedRequest &R) {
  auto *Ref = dyn_cast<DeclRefExpr>(R.Of);
  const ValueDecl *D = Ref ? Ref->getDecl() : cast<MemberExpr>(R.Of)->getMemberDecl();
  return {D, R.Element + (R.IsAddress ? "[0]" : "")};
}

bool isNull(const Expr *E, const ASTContext &C) {
  return isa<ImplicitValueInitExpr>(E) ||
         E->isNullPointerConstant(const_cast<ASTContext &>(C), Expr::NPC_ValueDependentIsNotNull);
}

/// What is written to the `next` of each request.
class Successors : public RecursiveASTVisitor<Successors> {
public:
  bool VisitBinaryOperator(BinaryOperator *B) {
    auto *Member = dyn_cast<MemberExpr>(B->getLHS()->IgnoreParens());
    if (!B->isAssignmentOp() || !Member || Member->getMemberDecl()->getName() != "next")
      return true;
    const ASTContext &C = Member->getMemberDecl()->getASTContext();
    if (auto Of = Member->isArrow() ? pointee(Member->getBase(), C) : named(Member->getBase(), C))
      Written[keyOf(*Of)].push_back(B->getRHS());
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
        Written[{V, ""}].push_back(List->getInit(F->getFieldIndex()));
    return true;
  }

  std::map<std::pair<const ValueDecl *, std::string>, std::vector<const Expr *>> Written;
  bool Elsewhere = false; ///< to one that has no name
};

/// The arrays of work requests that a function uses, each where it is named first.
class Arrays : public RecursiveASTVisitor<Arrays> {
public:
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const ASTContext &C = E->getDecl()->getASTContext();
    const ConstantArrayType *Array = C.getAsConstantArrayType(E->getType());
    const RecordDecl *Of = Array ? Array->getElementType()->getAsRecordDecl() : nullptr;
    if (Of && Of->getName() == "ibv_send_wr")
      Found.try_emplace(E->getDecl(), E);
    return true;
  }
  std::map<const ValueDecl *, const Expr *> Found;
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

/// The row whose elements are posted, and the first of them: `list`, `&list[2]`, or `list.data()` of
/// what the standard library keeps in a row.
static std::pair<const Expr *, std::uint64_t> rowFrom(const Expr *E, const ASTContext &C) {
  E = E->IgnoreParenCasts();
  auto *Call = dyn_cast<CXXMemberCallExpr>(E);
  if (const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr)
    return {isOfStandard(Method) && Method->getNameAsString() == "data" ? Call->getImplicitObjectArgument()
                                                                        : nullptr,
            0};
  auto *Address = dyn_cast<UnaryOperator>(E);
  if (!Address || Address->getOpcode() != UO_AddrOf)
    return {E, 0};
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
  return {Of, Index.Val.getInt().getZExtValue()};
}

/// The elements of a row from one on, at most as many as asked for.
static std::vector<ListedRequest> elementsOf(const Expr *Row, std::uint64_t Begin, const FunctionDecl &In,
                                             std::size_t Count) {
  const ASTContext &C = In.getASTContext();
  std::optional<ListedRequest> Whole = Row ? named(Row, C) : std::nullopt;
  if (!Whole)
    return {};
  QualType Of = Row->IgnoreParenImpCasts()->getType();
  const ConstantArrayType *Array = C.getAsConstantArrayType(Of);
  const CXXRecordDecl *Class = Of->getAsCXXRecordDecl();
  bool IsStandard =
      Class && Class->isInStdNamespace(); // as long as the list that was seen to be posted from it
  std::vector<ListedRequest> Found;
  for (std::uint64_t I = Begin; (IsStandard || (Array && Array->getSize().ugt(I))) && Found.size() < Count;
       ++I) {
    Spelling Element(keyOf(*Whole).first, I);
    Element.TraverseStmt(In.getBody());
    Found.push_back({Whole->Of, Whole->Element + Element.Text});
  }
  return Found;
}

/// Those that the function links by name.
static std::vector<ListedRequest> linkedFrom(const Expr *Request, const FunctionDecl &In) {
  Successors All;
  All.TraverseStmt(In.getBody());
  std::vector<ListedRequest> Found;
  std::set<std::pair<const ValueDecl *, std::string>> Seen;
  for (const Expr *Next = Request; Next && !All.Elsewhere;) {
    auto Named = pointee(Next, In.getASTContext());
    if (!Named || !Seen.insert(keyOf(*Named)).second)
      return {};
    Found.push_back(*Named);
    const auto &Written = All.Written[keyOf(*Named)];
    if (Written.size() > 1)
      return {};
    Next = Written.empty() || isNull(Written[0], In.getASTContext()) ? nullptr : Written[0];
  }
  return All.Elsewhere ? std::vector<ListedRequest>() : Found;
}

std::vector<ListedRequest> requestsFrom(const Expr *Request, const FunctionDecl &In, std::size_t Count) {
  auto [Row, Begin] = rowFrom(Request, In.getASTContext());
  if (auto Elements = elementsOf(Row, Begin, In, Count); !Elements.empty())
    return Elements;
  // One alone may be what each round of a loop posts.
  auto Linked = linkedFrom(Request, In);
  if (Linked.size() >= Count || (Linked.size() == 1 && !Linked[0].IsAddress))
    return Linked;
  Arrays Rows;
  Rows.TraverseStmt(In.getBody());
  return Rows.Found.size() == 1 ? elementsOf(Rows.Found.begin()->second, 0, In, Count)
                                : std::vector<ListedRequest>();
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

bool isPostedInParts(const Thread &T, const Place &Post) {
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (isRequest(T.Statements[S].Op.Kind) && T.Statements[S].Where.known() &&
        T.Statements[S].Where.Chain.front() == Post && placeInList(T, S).second > 1)
      return true;
  return false;
}

const Stmt *leavesOnTest(const Syntax &S, const Stmt *If, unsigned Offset) {
  auto *Test = dyn_cast<IfStmt>(If);
  if (!Test)
    return nullptr;
  auto [Begin, End] = S.extent(Test->getCond());
  const Stmt *First = Test->getThen(), *Last = First;
  if (auto *Block = dyn_cast<CompoundStmt>(Last)) {
    First = Block->body_empty() ? nullptr : Block->body_front();
    Last = First ? Block->body_back() : nullptr;
  }
  bool Jumps = Last && isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt>(Last);
  return Jumps && Begin <= Offset && Offset < End ? First : nullptr;
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
  /// A copy of the whole.
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    bool Reads = E->getCastKind() == CK_LValueToRValue && E->getType()->isRecordType();
    return !(Found |= Reads && names(E->getSubExpr()));
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

bool isPlainValue(const Expr *E) {
  auto *Value = dyn_cast<BinaryOperator>(E->IgnoreImpCasts());
  return !E->getBeginLoc().isMacroID() && !E->getEndLoc().isMacroID() &&
         !(Value && (Value->isAssignmentOp() || Value->isCommaOp() || Value->isLogicalOp()));
}

const BinaryOperator *flagsSetBy(const Syntax &S, const Stmt *X, const std::string &Request) {
  auto *Set = dyn_cast<BinaryOperator>(X);
  bool Whole = Set && !Set->getBeginLoc().isMacroID() && isPlainValue(Set->getRHS()) &&
               (Set->getOpcode() == BO_Assign || Set->getOpcode() == BO_OrAssign);
  return Whole && S.text(Set->getLHS()->getSourceRange()) == Request + "send_flags" ? Set : nullptr;
}

/// What the variable begins with: `struct ibv_send_wr r = {.send_flags = 0};`. Nothing where another one
/// begins as its copy.
const Expr *flagsDeclaredBy(const Stmt *X, const std::string &Request) {
  auto *Declares = dyn_cast<DeclStmt>(X);
  const VarDecl *Found = nullptr;
  std::vector<const VarDecl *> Copied;
  if (!Declares)
    return nullptr;
  for (const Decl *D : Declares->decls())
    if (auto *V = dyn_cast<VarDecl>(D); V && V->getInit()) {
      auto Named = variables(V->getInit());
      Copied.insert(Copied.end(), Named.begin(), Named.end());
      Found = V->getNameAsString() + "." == Request ? V : Found;
    }
  const Expr *Behind = nullptr, *Flags = Found ? flagsOf(Found->getInit(), Behind) : nullptr;
  bool IsCopied = std::find(Copied.begin(), Copied.end(), Found) != Copied.end();
  return Flags && isPlainValue(Flags) && !IsCopied ? Flags : nullptr;
}

} // namespace

const Expr *flagsOf(const Expr *Request, const Expr *&Behind) {
  Behind = nullptr;
  auto *List = dyn_cast<InitListExpr>(Request->IgnoreUnlessSpelledInSource());
  const InitListExpr *Written = List && List->isSemanticForm() ? List->getSyntacticForm() : List;
  if (!Written || !Request->getType()->isRecordType())
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
    if (const Expr *Flags = flagsDeclaredBy(*X, Request))
      return Flags;
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

} // namespace rdma::source
