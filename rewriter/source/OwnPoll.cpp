#include "rewriter/source/OwnPoll.h"

#include "rewriter/source/Paths.h"

#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <set>

namespace rdma::source {
namespace {

using namespace clang;

StringRef nameOf(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  return F && F->getIdentifier() ? F->getName() : "";
}

bool isVerbs(StringRef Name) { return Name.starts_with("ibv_") || Name.starts_with("rdma_"); }

bool isOfVerbs(QualType T) {
  const RecordDecl *Record = T->isPointerType() ? T->getPointeeType()->getAsRecordDecl() : nullptr;
  // ibv_wc is the program's to read and write.
  return Record && isVerbs(Record->getName()) && Record->getName() != "ibv_wc";
}

bool isCompletion(const Expr *E) {
  QualType T = E->IgnoreParenImpCasts()->getType();
  const RecordDecl *Record = T->isPointerType() ? T->getPointeeType()->getAsRecordDecl() : nullptr;
  return Record && Record->getName() == "ibv_wc";
}

/// `x` of `x.member` and `x[2]`.
const Expr *wholeOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (auto *Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow())
    return wholeOf(Member->getBase());
  auto *Element = dyn_cast<ArraySubscriptExpr>(E);
  return Element && Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()
             ? wholeOf(Element->getBase())
             : E;
}

/// Verbs' own objects, which only calls of verbs change, or a variable that is named where it is handed over.
bool isPlainArgument(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (!E->getType()->isPointerType())
    return true;
  if (isOfVerbs(E->getType()) || isa<StringLiteral>(E))
    return true;
  auto *Address = dyn_cast<UnaryOperator>(E);
  return Address && Address->getOpcode() == UO_AddrOf && isa<DeclRefExpr>(wholeOf(Address->getSubExpr()));
}

/// May a function change through its arguments no more than the variables that are named there? Verbs' own
/// objects are changed by calls of verbs only.
bool changesOnlyNamed(const CallExpr *C) {
  return std::all_of(C->arg_begin(), C->arg_end(), [](const Expr *E) {
    QualType Of = E->IgnoreParenImpCasts()->getType();
    return isPlainArgument(E) &&
           (isOfVerbs(Of) || !Of->isPointerType() || !mayKeepPointer(Of->getPointeeType()));
  });
}

/// What a statement names and does.
class Contents : public RecursiveASTVisitor<Contents> {
public:
  explicit Contents(const SourceManager &M, unsigned Depth = 0) : M(M), Depth(Depth) {}

  bool VisitImplicitCastExpr(ImplicitCastExpr *C) {
    if (C->getCastKind() == CK_LValueToRValue)
      Loaded.insert(C->getSubExpr()->IgnoreParens());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (V)
      (OfVerbs.contains(E) ? Leading : Names).insert(V);
    if (V && !OfVerbs.contains(E) && (!Loaded.contains(E) || V->getType()->isReferenceType()))
      Changed.insert(V);
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    Names.insert(V);
    Changed.insert(V);
    Own.insert(V);
    return true;
  }
  /// What is behind a pointer may be what another pointer leads to: but for what verbs own, and completions.
  bool VisitMemberExpr(MemberExpr *E) {
    bool Leads = isOfVerbs(E->getType()) || OfVerbs.contains(E);
    if (Leads)
      OfVerbs.insert(E->getBase()->IgnoreParens());
    Behind |= E->isArrow() && !Leads && !isCompletion(E->getBase());
    return true;
  }
  /// Another queue, perhaps, for whoever names it as something's member.
  bool VisitBinaryOperator(BinaryOperator *B) {
    QualType To = B->getLHS()->getType();
    bool Changes = B->isAssignmentOp() && (isOfVerbs(To) || (To->isRecordType() && mayKeepPointer(To)));
    return !(Unknown |= Changes && !isa<DeclRefExpr>(B->getLHS()->IgnoreParens()));
  }
  bool VisitUnaryOperator(UnaryOperator *U) {
    Behind |= U->getOpcode() == UO_Deref;
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    bool Leads = isOfVerbs(E->getType()) || OfVerbs.contains(E);
    Behind |= !Leads && !E->getBase()->IgnoreParenImpCasts()->getType()->isArrayType() &&
              !isCompletion(E->getBase());
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *E) {
    Behind |= !OfVerbs.contains(E);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *) { return !(Unknown = true); }
  bool VisitCXXConstructExpr(CXXConstructExpr *C) { return !(Unknown |= !C->getConstructor()->isTrivial()); }
  bool VisitReturnStmt(ReturnStmt *) { return Jumps = true; }
  bool VisitGotoStmt(GotoStmt *) { return Jumps = true; }
  bool VisitIndirectGotoStmt(IndirectGotoStmt *) { return Jumps = true; }
  /// In a function that is called it is a failure, as a call that does not return.
  bool TraverseCXXThrowExpr(CXXThrowExpr *) {
    Jumps |= Depth == 0;
    return true;
  }
  /// Over an array, or what the standard library keeps: how it goes from one to the next is known.
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *F) {
    const Expr *Range = F->getRangeInit();
    const CXXRecordDecl *Class = Range ? Range->getType()->getAsCXXRecordDecl() : nullptr;
    bool IsKnown = Range && !F->getInit() && isa<DeclRefExpr>(Range->IgnoreParens()) &&
                   (Range->getType()->isArrayType() || (Class && Class->isInStdNamespace()));
    if (!IsKnown)
      return !(Unknown = true);
    OfVerbs.insert(Range->IgnoreParens());
    Own.insert(F->getLoopVariable());
    return TraverseStmt(F->getRangeInit()) && TraverseStmt(F->getBody());
  }
  bool VisitBreakStmt(BreakStmt *) { return Breaks = true; }
  bool VisitContinueStmt(ContinueStmt *) { return Breaks = true; }
  bool VisitLabelStmt(LabelStmt *) { return !(Unknown = true); }
  bool VisitSwitchCase(SwitchCase *) { return !(Unknown = true); }
  bool VisitAsmStmt(AsmStmt *) { return !(Unknown = true); }

  bool VisitCallExpr(CallExpr *C) {
    StringRef Name = nameOf(C);
    if (Name == "ibv_poll_cq" && C->getNumArgs() == 3 && isBuffer(C->getArg(2))) {
      Polls = true;
      return true;
    }
    Calls |= !changesOnlyNamed(C);
    const FunctionDecl *F = C->getDirectCallee();
    if (F && !isa<CXXOperatorCallExpr>(C) && mayChangeMember(C, *F))
      return !(Unknown = true);
    if (auto *Member = dyn_cast<CXXMemberCallExpr>(C))
      return followMember(Member);
    if (!F || isVerbs(Name) || isa<CXXMethodDecl>(F))
      return !(Unknown = true);
    if (F->isNoReturn() || M.isInSystemHeader(F->getLocation()))
      return true;
    return follow(C, F);
  }

  std::set<const VarDecl *> Names, Own;
  std::set<const VarDecl *> Changed; ///< those that more may be done to than to take their value
  std::set<const VarDecl *> Leading; ///< only to what verbs own: the c of `c.cq`
  bool Polls = false, Calls = false, Jumps = false, Breaks = false, Unknown = false, Behind = false;

private:
  /// Where completions go: a variable, the array of it, or what a caller that is followed hands in.
  bool isBuffer(const Expr *E) const {
    auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    bool Given = Ref && Depth > 0 && isa<ParmVarDecl>(Ref->getDecl());
    return Given || isPlainArgument(E) || (Ref && Ref->getType()->isArrayType());
  }

  /// A function of this source that works on what it is handed and nothing else.
  bool follow(const CallExpr *C, const FunctionDecl *F) {
    const FunctionDecl *Body = nullptr;
    bool Plain = std::all_of(C->arg_begin(), C->arg_end(), isPlainArgument);
    if (Depth > 2 || !Plain || !F->hasBody(Body))
      return !(Unknown = true);
    Contents Inner(M, Depth + 1);
    for (const ParmVarDecl *P : Body->parameters())
      Inner.Own.insert(P);
    Inner.TraverseStmt(Body->getBody());
    for (unsigned I = 0; I < Body->getNumParams() && I < C->getNumArgs(); ++I)
      Plain &= !Body->getParamDecl(I)->getType()->isReferenceType() ||
               isa<DeclRefExpr>(C->getArg(I)->IgnoreParenImpCasts());
    Unknown |= Inner.Unknown || !Plain;
    Behind |= Inner.Behind && !changesOnlyNamed(C);
    Unknown |= Inner.Behind && isa<CXXMethodDecl>(Body);
    Inner.Names.merge(Inner.Leading);
    for (const VarDecl *V : Inner.Names)
      if (V->isFileVarDecl() && isOfVerbs(V->getType()) && !Inner.Changed.contains(V))
        Names.insert(V);
      else
        Unknown |= !Inner.Own.contains(V) || V->isStaticLocal();
    Polls |= Inner.Polls;
    return !Unknown;
  }

  /// By reference, something that has no name of its own.
  static bool mayChangeMember(const CallExpr *C, const FunctionDecl &F) {
    for (unsigned I = 0; I < F.getNumParams() && I < C->getNumArgs(); ++I) {
      QualType To = F.getParamDecl(I)->getType();
      if (To->isReferenceType() && !To->getPointeeType().isConstQualified() &&
          !isa<DeclRefExpr>(C->getArg(I)->IgnoreParenImpCasts()))
        return true;
    }
    return false;
  }

  /// A member function that of its object needs no more than what verbs own there.
  bool followMember(CXXMemberCallExpr *C) {
    const CXXMethodDecl *F = C->getMethodDecl();
    if (!F || F->isVirtual() || !follow(C, F))
      return !(Unknown = true);
    OfVerbs.insert(C->getImplicitObjectArgument()->IgnoreParens());
    return true;
  }

  const SourceManager &M;
  const unsigned Depth;
  std::set<const Expr *> Loaded;  ///< whose value alone is wanted
  std::set<const Expr *> OfVerbs; ///< whose members are verbs' own: `conns[i]` of `conns[i].cq`
};

Contents contentsOf(const Syntax &S, const Stmt *What) {
  Contents C(S.Context.getSourceManager());
  C.TraverseStmt(const_cast<Stmt *>(What));
  return C;
}

/// A variable of the function alone, that no pointer leads to but where completions are taken; or what verbs
/// own. Where nothing in between goes through pointers or calls, any variable of the function.
bool isOwn(const VarDecl *V, const FunctionDecl &In, bool Reaches) {
  struct Addresses : RecursiveASTVisitor<Addresses> {
    explicit Addresses(const VarDecl *V) : V(V) {}
    bool TraverseCallExpr(CallExpr *C) {
      return nameOf(C) == "ibv_poll_cq" || RecursiveASTVisitor::TraverseCallExpr(C);
    }
    bool VisitUnaryOperator(UnaryOperator *U) {
      auto *Of = dyn_cast<DeclRefExpr>(wholeOf(U->getSubExpr()));
      if (U->getOpcode() == UO_AddrOf && Of && Of->getDecl() == V)
        ++Count;
      return true;
    }
    const VarDecl *V;
    unsigned Count = 0;
  };
  if (isOfVerbs(V->getType()))
    return true;
  Addresses A(V);
  A.TraverseStmt(In.getBody());
  return V->hasLocalStorage() && !V->getType()->isReferenceType() && (!Reaches || A.Count < 2);
}

/// Only what the poll takes completions into, of no value yet; in between its name means nothing else.
bool declaresFor(const DeclStmt &D, const std::set<const VarDecl *> &Poll,
                 const std::set<const VarDecl *> &Passed) {
  return std::all_of(D.decl_begin(), D.decl_end(), [&](const Decl *Each) {
    auto *V = dyn_cast<VarDecl>(Each);
    auto IsNamesake = [&](const VarDecl *Other) { return Other->getIdentifier() == V->getIdentifier(); };
    return V && V->hasLocalStorage() && Poll.contains(V) && V->getType().isTrivialType(V->getASTContext()) &&
           (!V->getInit() || V->getInit()->isConstantInitializer(V->getASTContext(), false)) &&
           std::none_of(Passed.begin(), Passed.end(), IsNamesake);
  });
}

/// What the statements do that a poll is moved up past.
struct PassedStatements {
  std::set<const VarDecl *> Names, Changed;
  bool Reaches = false;

  void add(const Contents &C) {
    Names.insert(C.Names.begin(), C.Names.end());
    Names.insert(C.Leading.begin(), C.Leading.end());
    Changed.insert(C.Changed.begin(), C.Changed.end());
    Reaches |= C.Behind || C.Calls;
  }
};

bool isLoop(const Stmt *X) { return isa<WhileStmt, DoStmt, ForStmt, CXXForRangeStmt>(X); }

bool intersect(const std::set<const VarDecl *> &A, const std::set<const VarDecl *> &B) {
  return std::any_of(A.begin(), A.end(), [&](const VarDecl *V) { return B.contains(V); });
}

} // namespace

std::vector<OwnPoll> movablePolls(const Syntax &S, const Slot &At, unsigned Count) {
  auto Parents = S.Context.getParents(*At.At);
  const CompoundStmt *Block = Parents.empty() ? nullptr : Parents[0].get<CompoundStmt>();
  if (!Block)
    return {};
  std::vector<OwnPoll> Polls;
  PassedStatements Passed;
  const DeclStmt *Above = nullptr; ///< in front of the statement, held back from what is passed
  for (auto X = std::find(Block->body_begin(), Block->body_end(), At.At); X != Block->body_end(); ++X) {
    Contents C = contentsOf(S, *X);
    if (C.Unknown || C.Jumps || (C.Breaks && !isLoop(*X)))
      return {};
    if (C.Polls) {
      OwnPoll Found{Above && declaresFor(*Above, C.Names, Passed.Names) ? Above : *X, *X};
      if (Found.First == *X && Above)
        Passed.add(contentsOf(S, Above));
      Above = nullptr;
      auto IsOwn = [&](const VarDecl *V) { return isOwn(V, *At.Function, Passed.Reaches); };
      bool Own = std::all_of(C.Names.begin(), C.Names.end(), IsOwn) &&
                 (!Passed.Reaches || std::all_of(C.Leading.begin(), C.Leading.end(), IsOwn));
      bool Apart = Found.First != At.At && !isa<DeclStmt>(*X) && !C.Behind && Own &&
                   !intersect(C.Names, Passed.Changed) && !intersect(C.Leading, Passed.Changed) &&
                   !intersect(C.Changed, Passed.Names);
      if (!Apart || !ownLines(S, Found))
        return {};
      Polls.push_back(Found);
      if (Polls.size() == Count)
        return Polls;
      continue;
    }
    if (Above)
      Passed.add(contentsOf(S, Above));
    Above = dyn_cast<DeclStmt>(*X);
    if (!Above)
      Passed.add(C);
  }
  return {};
}

std::optional<std::pair<unsigned, unsigned>> ownLines(const Syntax &S, const OwnPoll &Poll) {
  unsigned Begin = S.extent(Poll.First).first, End = S.extent(Poll.Last).second;
  StringRef All = S.Context.getSourceManager().getBufferData(S.File);
  auto LineBegin = [&](std::size_t At) { return All.take_front(At).rfind('\n') + 1; };
  std::size_t From = LineBegin(Begin), To = All.find('\n', End);
  StringRef Behind = All.slice(End, To).trim();
  bool IsComment = Behind.starts_with("//") || (Behind.starts_with("/*") && Behind.ends_with("*/"));
  if (To == StringRef::npos || !All.slice(From, Begin).trim().empty() || !(Behind.empty() || IsComment))
    return std::nullopt;
  while (From > 0) {
    std::size_t Above = LineBegin(From - 1);
    StringRef Line = All.slice(Above, From).trim();
    if (!Line.starts_with("//") && !(Line.starts_with("/*") && Line.ends_with("*/")))
      break;
    From = Above;
  }
  return std::pair<unsigned, unsigned>(From, To + 1);
}

} // namespace rdma::source
