#include "rewriter/source/Syntax.h"

#include "analyzer/clang/frontend/Spelling.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

namespace rdma::source {
namespace {

using namespace clang;

/// Walks the functions of one file and keeps the smallest thing that holds an offset.
class Finder : public RecursiveASTVisitor<Finder> {
public:
  Finder(const Syntax &S, unsigned Offset, bool Exact) : S(S), Offset(Offset), Exact(Exact) {}

  bool VisitCallExpr(CallExpr *C) {
    bool Here =
        Exact ? S.offset(C->getExprLoc()) == Offset || S.offset(C->getBeginLoc()) == Offset : holds(C);
    if (!Here || !inFile(C))
      return true;
    bool Meant = isMeant(C);
    if (!Call || (Meant && !CallIsMeant) || (Meant == CallIsMeant && size(C) <= size(Call))) {
      Call = C;
      CallIsMeant = Meant;
    }
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *C) {
    bool Here = S.offset(C->getLocation()) == Offset || S.offset(C->getBeginLoc()) == Offset;
    if (Exact && Here && inFile(C) &&
        Callee.find(C->getConstructor()->getNameAsString()) != std::string::npos)
      Construction = C;
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->hasBody() && F->doesThisDeclarationHaveABody() && inFile(F->getBody()) && holds(F->getBody()))
      Function = F;
    return true;
  }

  bool VisitLambdaExpr(LambdaExpr *L) {
    if (inFile(L->getBody()) && holds(L->getBody()))
      Function = L->getCallOperator();
    return true;
  }

  bool VisitCompoundStmt(CompoundStmt *C) {
    for (Stmt *Child : C->body())
      consider(Child, false);
    return true;
  }
  bool VisitIfStmt(IfStmt *I) {
    consider(I->getThen(), true);
    consider(I->getElse(), true);
    return true;
  }
  bool VisitSwitchStmt(SwitchStmt *W) {
    consider(W->getBody(), true);
    return true;
  }
  bool VisitWhileStmt(WhileStmt *W) { return head(W, W->getBody()); }
  bool VisitDoStmt(DoStmt *D) { return head(D, D->getBody()); }
  bool VisitForStmt(ForStmt *F) { return head(F, F->getBody()); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *F) { return head(F, F->getBody()); }
  bool shouldVisitLambdaBody() const { return true; }

  std::string Callee; ///< the function that is meant; empty: one of verbs
  const CallExpr *Call = nullptr;
  bool CallIsMeant = false;
  const CXXConstructExpr *Construction = nullptr;
  const FunctionDecl *Function = nullptr;
  const Stmt *Best = nullptr;
  bool Lone = false;
  const Stmt *Head = nullptr; ///< the innermost loop whose head, not body, holds the offset

private:
  bool isMeant(const CallExpr *C) const {
    const FunctionDecl *F = C->getDirectCallee();
    if (!F)
      return false;
    std::string Name = F->getNameAsString();
    if (Callee.empty())
      return Name.starts_with("ibv_") || Name.starts_with("rdma_") || Name.starts_with("__ibv_");
    return Callee.find(Name) != std::string::npos;
  }
  bool inFile(const Stmt *X) const { return S.holds(X->getBeginLoc()); }
  bool holds(const Stmt *X) const {
    auto [Begin, End] = S.extent(X);
    return Begin <= Offset && Offset < End;
  }
  unsigned size(const Stmt *X) const {
    auto [Begin, End] = S.extent(X);
    return End - Begin;
  }
  /// A label belongs before what is inserted: who jumps there comes through the insertion too.
  void consider(const Stmt *X, bool Alone) {
    for (bool Labelled = true; Labelled;) {
      if (auto *L = dyn_cast_or_null<LabelStmt>(X))
        X = L->getSubStmt();
      else if (auto *C = dyn_cast_or_null<SwitchCase>(X))
        X = C->getSubStmt();
      else
        Labelled = false;
    }
    if (!X || isa<CompoundStmt>(X) || !inFile(X) || !holds(X))
      return;
    // All statements of a macro are where its call is: what is inserted goes around the outermost.
    if (Best && (size(X) > size(Best) || (size(X) == size(Best) && X->getBeginLoc().isMacroID())))
      return;
    Best = X;
    Lone = Alone;
  }
  bool head(const Stmt *Loop, const Stmt *Body) {
    consider(Body, true);
    if (inFile(Loop) && holds(Loop) && !holds(Body) && (!Head || size(Loop) <= size(Head)))
      Head = Loop;
    return true;
  }

  const Syntax &S;
  unsigned Offset;
  bool Exact;
};

} // namespace

std::string Syntax::file(SourceLocation Where) const {
  const SourceManager &M = Context.getSourceManager();
  llvm::SmallString<256> Name(M.getPresumedLoc(Where).getFilename());
  M.getFileManager().makeAbsolutePath(Name);
  return clang_ir::realFile(Name);
}

unsigned Syntax::offset(SourceLocation Where) const {
  return Context.getSourceManager().getFileOffset(Context.getSourceManager().getExpansionLoc(Where));
}

unsigned Syntax::offsetOf(const Place &Where) const {
  const SourceManager &M = Context.getSourceManager();
  return M.getFileOffset(M.translateLineCol(File, Where.Line, Where.Column ? Where.Column : 1));
}

Place Syntax::place(SourceLocation Where, const std::string &Source) const {
  const SourceManager &M = Context.getSourceManager();
  PresumedLoc Seen = M.getPresumedLoc(Where);
  if (!Seen.isValid())
    return {Source, 0, 0, {}};
  const bool InMain = M.isInMainFile(M.getExpansionLoc(Where));
  return {InMain ? Source : clang_ir::spellFile(file(Where)), Seen.getLine(), Seen.getColumn(), {}};
}

bool Syntax::holds(SourceLocation Where) const {
  const SourceManager &M = Context.getSourceManager();
  return M.getFileID(M.getExpansionLoc(Where)) == File;
}

/// The declarations of the file: other files, such as all that a header of the standard library brings, need
/// not be walked. A header may be included in a block, `extern "C" { }`, of another file.
template <typename Visitor> void Syntax::traverse(Visitor &V) const {
  const SourceManager &M = Context.getSourceManager();
  const SourceLocation Start = M.getLocForStartOfFile(File);
  std::vector<const DeclContext *> Around = {Context.getTranslationUnitDecl()};
  while (!Around.empty()) {
    const DeclContext *Block = Around.back();
    Around.pop_back();
    for (Decl *D : Block->decls())
      if (holds(D->getLocation()) || holds(D->getBeginLoc()) || holds(D->getEndLoc()))
        V.TraverseDecl(D);
      else if (isa<LinkageSpecDecl, NamespaceDecl>(D) &&
               M.isBeforeInTranslationUnit(D->getBeginLoc(), Start) &&
               M.isBeforeInTranslationUnit(Start, D->getEndLoc()))
        Around.push_back(cast<DeclContext>(D));
  }
}

std::pair<unsigned, unsigned> Syntax::extent(const Stmt *S) const {
  const SourceManager &M = Context.getSourceManager();
  CharSourceRange Range = M.getExpansionRange(S->getSourceRange());
  SourceLocation End = Lexer::getLocForEndOfToken(Range.getEnd(), 0, M, Context.getLangOpts());
  unsigned Stop = M.getFileOffset(End);
  StringRef Buffer = M.getBufferData(M.getFileID(Range.getBegin()));
  std::size_t Next = Buffer.find_first_not_of(" \t\r\n", Stop);
  if (Next != StringRef::npos && Buffer[Next] == ';')
    Stop = Next + 1;
  return {M.getFileOffset(Range.getBegin()), Stop};
}

std::string Syntax::text(SourceRange Range) const {
  StringRef Text = Lexer::getSourceText(CharSourceRange::getTokenRange(Range), Context.getSourceManager(),
                                        Context.getLangOpts());
  return Text.empty() ? std::string(1, Unspelled) : Text.str();
}

std::string Syntax::indentation(const Stmt *S) const {
  const SourceManager &M = Context.getSourceManager();
  return Lexer::getIndentationForLine(M.getExpansionLoc(S->getBeginLoc()), M).str();
}

std::optional<Slot> Syntax::slot(const Place &Where) const {
  auto [Known, New] = Slots.try_emplace(offsetOf(Where));
  std::optional<Slot> &Found = Known->second;
  if (!New)
    return Found;
  Finder F(*this, offsetOf(Where), false);
  traverse(F);
  if (!F.Best || !F.Function)
    return std::nullopt;
  // What a loop's head does, it does in every iteration; before the loop is not before each of them.
  if (F.Head) {
    auto [HeadBegin, HeadEnd] = extent(F.Head);
    auto [Begin, End] = extent(F.Best);
    if (HeadEnd - HeadBegin <= End - Begin)
      return std::nullopt;
  }
  return Found = Slot{F.Best, F.Function, F.Lone};
}

std::optional<Slot> Syntax::slotBeforeLoop(const Place &In, const Place &NotIn) const {
  struct Loops : RecursiveASTVisitor<Loops> {
    Loops(const Syntax &S, unsigned In, unsigned NotIn) : S(S), In(In), NotIn(NotIn) {}
    bool VisitStmt(Stmt *X) {
      if (!isa<WhileStmt, DoStmt, ForStmt, CXXForRangeStmt>(X) || !S.holds(X->getBeginLoc()))
        return true;
      auto [Begin, End] = S.extent(X);
      auto Holds = [&](unsigned Offset) { return Begin <= Offset && Offset < End; };
      if (!Outermost && Holds(In) && !Holds(NotIn))
        Outermost = X;
      return true;
    }
    bool shouldVisitLambdaBody() const { return true; }
    const Syntax &S;
    const unsigned In, NotIn;
    const Stmt *Outermost = nullptr;
  } L(*this, offsetOf(In), offsetOf(NotIn));
  traverse(L);
  return L.Outermost ? slotAtLoop(L.Outermost) : std::nullopt;
}

std::vector<const Stmt *> Syntax::loopsAround(const Place &In) const {
  struct Loops : RecursiveASTVisitor<Loops> {
    Loops(const Syntax &S, const FunctionDecl *Of, unsigned In) : S(S), Of(Of), In(In) {}
    bool VisitStmt(Stmt *X) {
      if (!isa<WhileStmt, DoStmt, ForStmt, CXXForRangeStmt>(X) || !S.holds(X->getBeginLoc()))
        return true;
      auto [Begin, End] = S.extent(X);
      if (Begin <= In && In < End && S.functionAround(X) == Of)
        Around.push_back(X);
      return true;
    }
    bool shouldVisitLambdaBody() const { return true; }
    const Syntax &S;
    const FunctionDecl *Of;
    const unsigned In;
    std::vector<const Stmt *> Around;
  } L(*this, functionAt(In), offsetOf(In));
  traverse(L);
  return L.Around;
}

std::optional<Slot> Syntax::slotBeforeLoopAround(const Place &In, unsigned Inner, unsigned Least) const {
  std::vector<const Stmt *> Around = loopsAround(In);
  return Around.size() > Inner && Around.size() >= Least ? slotAtLoop(Around[Around.size() - 1 - Inner])
                                                         : std::nullopt;
}

std::optional<Slot> Syntax::slotAtLoop(const Stmt *Loop) const {
  Finder F(*this, extent(Loop).first, false);
  traverse(F);
  return F.Best == Loop && F.Function ? std::optional(Slot{F.Best, F.Function, F.Lone}) : std::nullopt;
}

const CallExpr *Syntax::call(const Place &Where, const std::string &Callee) const {
  auto [Known, New] = Calls.try_emplace({offsetOf(Where), Callee});
  if (New) {
    Finder F(*this, offsetOf(Where), true);
    F.Callee = Callee;
    traverse(F);
    Known->second = F.Call;
  }
  return Known->second;
}

std::optional<Invocation> Syntax::invocation(const Place &Where, const std::string &Callee) const {
  if (const CallExpr *C = call(Where, Callee)) {
    auto *Member = dyn_cast<CXXMemberCallExpr>(C);
    // A called object is an argument too.
    bool Called = isa<CXXOperatorCallExpr>(C) && isa_and_nonnull<CXXMethodDecl>(C->getDirectCallee());
    return Invocation{C,
                      C->getDirectCallee(),
                      Member ? Member->getImplicitObjectArgument() : nullptr,
                      {C->arg_begin() + (Called ? 1 : 0), C->arg_end()}};
  }
  Finder F(*this, offsetOf(Where), true);
  F.Callee = Callee;
  traverse(F);
  const CXXConstructExpr *Made = F.Construction;
  return Made ? std::optional(
                    Invocation{Made, Made->getConstructor(), nullptr, {Made->arg_begin(), Made->arg_end()}})
              : std::nullopt;
}

namespace {

bool isReplaced(StringRef Name) {
  constexpr StringRef Others[] = {"ibv_post_send", "ibv_create_cq", "ibv_destroy_qp", "ibv_destroy_cq",
                                  "ibv_dealloc_pd"};
  return llvm::is_contained(Others, Name) || Name.starts_with("ibv_wr_") || Name.starts_with("rdma_post_") ||
         Name.starts_with("rdma_order_");
}

} // namespace

SourceLocation Syntax::macroOfReplaced() const {
  const Preprocessor &P = Unit.getPreprocessor();
  const SourceManager &M = Context.getSourceManager();
  SourceLocation First;
  for (const auto &[Name, State] : P.macros()) {
    if (!Name->getName().starts_with("ibv_") || !isReplaced(Name->getName()))
      continue;
    for (const MacroDirective *D = P.getLocalMacroDirectiveHistory(Name); D; D = D->getPrevious()) {
      auto *Defined = dyn_cast<DefMacroDirective>(D);
      SourceLocation At = Defined ? Defined->getInfo()->getDefinitionLoc() : SourceLocation();
      if (At.isValid() && !M.getFilename(At).ends_with("rdma/order.h") &&
          (First.isInvalid() || M.isBeforeInTranslationUnit(At, First)))
        First = At;
    }
  }
  return First;
}

const Expr *Syntax::replaced() const {
  struct Names : RecursiveASTVisitor<Names> {
    explicit Names(const SourceManager &M) : M(M) {}
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      auto *F = dyn_cast<FunctionDecl>(E->getDecl());
      if (F && F->getIdentifier() && isReplaced(F->getName()) &&
          !M.isInSystemHeader(M.getExpansionLoc(E->getLocation())))
        Found = E;
      return !Found;
    }
    const SourceManager &M;
    const Expr *Found = nullptr;
  } V(Context.getSourceManager());
  V.TraverseAST(Context);
  return V.Found;
}

std::optional<unsigned> Syntax::firstVerbsInclude() const {
  const SourceManager &M = Context.getSourceManager();
  for (unsigned I = 1, Count = M.local_sloc_entry_size(); I < Count; ++I) {
    const SrcMgr::SLocEntry &Entry = M.getLocalSLocEntry(I);
    if (!Entry.isFile() || !Entry.getFile().getName().ends_with("infiniband/verbs.h"))
      continue;
    // Out to the line of this file that it came through.
    SourceLocation At = Entry.getFile().getIncludeLoc();
    while (At.isValid() && M.getFileID(At) != File)
      At = M.getIncludeLoc(M.getFileID(At));
    if (At.isValid())
      return M.getFileOffset(M.translateLineCol(File, M.getSpellingLineNumber(At), 1));
  }
  return std::nullopt;
}

std::optional<unsigned> Syntax::firstInclude() const {
  StringRef Text = Context.getSourceManager().getBufferData(File);
  for (std::size_t Begin = 0; Begin < Text.size();
       Begin = std::min(Text.find('\n', Begin), Text.size()) + 1) {
    StringRef Line = Text.substr(Begin).take_until([](char C) { return C == '\n'; }).ltrim();
    if (Line.consume_front("#") && Line.ltrim().starts_with("include"))
      return Begin;
  }
  return std::nullopt;
}

const FunctionDecl *Syntax::functionAround(const Stmt *S) const {
  Finder F(*this, extent(S).first, false);
  traverse(F);
  return F.Function;
}

const FunctionDecl *Syntax::functionAt(const Place &Where) const {
  Finder F(*this, offsetOf(Where), false);
  traverse(F);
  return F.Function;
}

std::vector<const VarDecl *> variables(const Expr *E) {
  struct Visitor : RecursiveASTVisitor<Visitor> {
    std::vector<const VarDecl *> Found;
    bool VisitDeclRefExpr(DeclRefExpr *R) {
      if (auto *V = dyn_cast<VarDecl>(R->getDecl()))
        Found.push_back(V);
      return true;
    }
  } V;
  V.TraverseStmt(const_cast<Expr *>(E));
  return V.Found;
}

/// Does the function belong to a lambda that captures the variable? In a template, what a default captures is
/// not decided yet.
bool captures(const FunctionDecl *F, const VarDecl *V) {
  auto *Method = dyn_cast<CXXMethodDecl>(F);
  if (!Method || !Method->getParent()->isLambda())
    return false;
  if (Method->isDependentContext() && Method->getParent()->getLambdaCaptureDefault() != LCD_None &&
      V->getDeclContext()->isFunctionOrMethod() && V->getDeclContext()->Encloses(Method->getParent()))
    return true;
  for (const LambdaCapture &C : Method->getParent()->captures())
    if (C.capturesVariable() && C.getCapturedVar() == V)
      return true;
  return false;
}

bool Syntax::visible(const Expr *E, const Slot &At) const {
  auto All = variables(E);
  return std::all_of(All.begin(), All.end(), [&](const VarDecl *V) { return visible(V, At); });
}

/// What is called so here, through namespaces and classes.
static const NamedDecl *declaredAs(ASTContext &In, const NamedDecl *Named) {
  const DeclContext *Around = Named->getDeclContext();
  while (Around->isTransparentContext() || Around->isInlineNamespace())
    Around = Around->getParent();
  const DeclContext *Here = In.getTranslationUnitDecl();
  if (!Around->isTranslationUnit()) {
    auto *Outer = dyn_cast<NamedDecl>(Around);
    Here = dyn_cast_or_null<DeclContext>(Outer ? declaredAs(In, Outer) : nullptr);
  }
  for (const NamedDecl *D : Here && Named->getIdentifier() ? Here->lookup(&In.Idents.get(Named->getName()))
                                                           : DeclContext::lookup_result())
    if (D->getKind() == Named->getKind())
      return D;
  return nullptr;
}

bool Syntax::knowsMembers(const Expr *E) const {
  struct Members : RecursiveASTVisitor<Members> {
    explicit Members(ASTContext &Here) : Here(Here) {}
    bool VisitMemberExpr(MemberExpr *M) {
      auto *Record = dyn_cast<RecordDecl>(M->getMemberDecl()->getDeclContext());
      if (!Record || &Record->getASTContext() == &Here || !Record->getIdentifier())
        return true;
      auto *Known = dyn_cast_or_null<RecordDecl>(declaredAs(Here, Record));
      return Found &= Known && Known->getDefinition();
    }
    ASTContext &Here;
    bool Found = true;
  } V(Context);
  V.TraverseStmt(const_cast<Expr *>(E));
  return V.Found;
}

bool Syntax::visible(const VarDecl *V, const Slot &At) const {
  if (captures(At.Function, V))
    return true;
  if (V->hasGlobalStorage() && !V->isLocalVarDecl()) {
    const NamedDecl *Here = &V->getASTContext() == &Context ? V->getFirstDecl()
                            : V->hasExternalFormalLinkage() ? declaredAs(Context, V)
                                                            : nullptr;
    return Here &&
           Context.getSourceManager().isBeforeInTranslationUnit(Here->getLocation(), At.At->getBeginLoc());
  }
  if (V->getParentFunctionOrMethod() != At.Function)
    return false;
  if (isa<ParmVarDecl>(V))
    return true;
  if (offset(V->getLocation()) >= extent(At.At).first)
    return false;
  // The block of the declaration must be around the slot.
  DynTypedNode Node = DynTypedNode::create(*V);
  while (true) {
    auto Parents = Context.getParents(Node);
    if (Parents.empty())
      return false;
    Node = Parents[0];
    const Stmt *Block = Node.get<Stmt>();
    if (!Block || isa<DeclStmt>(Block))
      continue;
    auto [Begin, End] = extent(Block);
    return extent(At.At).first >= Begin && extent(At.At).second <= End;
  }
}

} // namespace rdma::source
