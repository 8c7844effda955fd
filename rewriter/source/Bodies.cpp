#include "rewriter/source/Bodies.h"

#include "rewriter/source/ControlFlow.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <set>

namespace rdma::source {

using namespace clang;

namespace {

bool isOfSystem(const FunctionDecl &F) {
  const SourceManager &M = F.getASTContext().getSourceManager();
  return M.isInSystemHeader(M.getExpansionLoc(F.getLocation()));
}

/// As other sources call it: functions of one name may have several types.
std::string keyOf(const FunctionDecl &F) {
  return F.getQualifiedNameAsString() + " " + F.getType().getCanonicalType().getAsString();
}

/// A function's name, or a parameter of a function of the C++ library: what that is was named where it was
/// handed over.
bool isNamed(const Expr &Function) {
  auto *Ref = dyn_cast<DeclRefExpr>(Function.IgnoreParenImpCasts());
  auto *Parameter = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
  auto *Of = Parameter ? dyn_cast<FunctionDecl>(Parameter->getDeclContext()) : nullptr;
  return (Ref && isa<FunctionDecl>(Ref->getDecl())) || (Of && isOfLibrary(*Of));
}

/// Does it hand a function to the C++ library that is not named?
bool handsUnnamed(const CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  return Callee && isOfLibrary(*Callee) && llvm::any_of(Call.arguments(), [](const Expr *Argument) {
           return Argument->getType()->isFunctionPointerType() && !isNamed(*Argument);
         });
}

/// Looks for calls of some rows, in each function once.
class Search {
public:
  Search(Bodies &All, Bodies::Rows Are) : All(All), Are(Are) {}

  bool in(const CFG *Graph, ASTContext &Context) {
    return !Graph || llvm::any_of(*Graph, [&](const CFGBlock *Block) {
      return llvm::any_of(*Block, [&](const CFGElement &Step) { return at(Step, Context); });
    });
  }
  /// Overridden: perhaps another one is called in its place.
  bool in(const FunctionDecl &F, bool Overridden) {
    if (const clang_ir::ApiRow *Row = rowOf(F))
      return Are(*Row);
    // What the library calls so for itself may be a part of the program: what ends a shared object.
    if (Overridden && mayBeOverridden(F) &&
        !(isOfLibrary(F) && !StringRef(F.getNameAsString()).starts_with("_")))
      return true;
    if (!Seen.insert(F.getCanonicalDecl()).second)
      return false;
    if (Bodies::Body B = All.of(F); B.Function) {
      ASTContext &Context = B.Function->getASTContext();
      return in(graphOf(*B.Function, Context).get(), Context);
    }
    return !F.isImplicit() && !F.isDefaulted() && !F.getBuiltinID() &&
           !F.isReplaceableGlobalAllocationFunction() && !isOfLibrary(F);
  }

private:
  bool at(const CFGElement &Step, ASTContext &Context) {
    const FunctionDecl *F = calledBy(Step, Context);
    const Stmt *S = statementOf(Step);
    if (!S)
      return F && in(*F, Step.getKind() == CFGElement::DeleteDtor);
    if (isa<CXXConstructExpr>(S))
      return in(*F, false);
    bool Overridden = true;
    // A direct call names its function in a step of its own.
    if (auto *Ref = dyn_cast<DeclRefExpr>(S)) {
      F = dyn_cast<FunctionDecl>(Ref->getDecl());
    } else if (auto *Member = dyn_cast<MemberExpr>(S)) {
      F = dyn_cast<FunctionDecl>(Member->getMemberDecl());
      Overridden = !Member->hasQualifier() && !isVariable(*Member->getBase()->IgnoreParenCasts());
    } else if (auto *Lambda = dyn_cast<LambdaExpr>(S))
      F = Lambda->isGenericLambda() ? nullptr
                                    : Lambda->getCallOperator(); // that of a type is named elsewhere
    else if (auto *New = dyn_cast<CXXNewExpr>(S))
      F = New->getOperatorNew();
    else if (auto *Delete = dyn_cast<CXXDeleteExpr>(S))
      F = Delete->getOperatorDelete();
    else if (auto *Default = dyn_cast<CXXDefaultArgExpr>(S))
      return in(graphOf(*Default->getExpr(), Context).get(), Context);
    else if (auto *Call = dyn_cast<CallExpr>(S))
      return callsUnnamed(Step) ? !isNamed(*Call->getCallee()) : handsUnnamed(*Call);
    return F && in(*F, Overridden);
  }
  /// Whose class is known.
  static bool isVariable(const Expr &E) {
    auto *Ref = dyn_cast<DeclRefExpr>(&E);
    auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && V->getType()->isRecordType();
  }

  Bodies &All;
  Bodies::Rows Are;
  std::set<const FunctionDecl *> Seen;
};

} // namespace

const clang_ir::ApiRow *rowOf(const FunctionDecl &Callee) {
  const DeclContext *Around = Callee.getDeclContext()->getRedeclContext();
  if (!Callee.getIdentifier() || !(Around->isTranslationUnit() || Around->isStdNamespace()))
    return nullptr;
  StringRef Name = Callee.getName();
  const bool Verbs = Name.starts_with("ibv_") || Name.starts_with("rdma_");
  return !Verbs && Callee.hasBody() && !isOfSystem(Callee) ? nullptr : clang_ir::apiOf(Name);
}

bool isOfLibrary(const FunctionDecl &Callee) {
  if (!isOfSystem(Callee))
    return false;
  for (const DeclContext *Around = Callee.getDeclContext(); Around; Around = Around->getParent()) {
    auto *Space = dyn_cast<NamespaceDecl>(Around);
    if (Around->isStdNamespace() || (Space && Space->getName() == "__gnu_cxx"))
      return true;
  }
  return false;
}

bool mayBeOverridden(const FunctionDecl &Callee) {
  auto *Method = dyn_cast<CXXMethodDecl>(&Callee);
  return Method && Method->isVirtual() && !Method->hasAttr<FinalAttr>() &&
         !Method->getParent()->hasAttr<FinalAttr>();
}

/// Every function that the sources define, or make of a template, and that other sources may call.
void Bodies::find() {
  struct Definitions : RecursiveASTVisitor<Definitions> {
    Definitions(const EditedFile &F, std::map<std::string, Body> &Found) : F(F), Found(Found) {}
    bool VisitFunctionDecl(FunctionDecl *D) {
      if (D->isThisDeclarationADefinition() && !D->isDependentContext() && D->isExternallyVisible() &&
          !isOfSystem(*D))
        Found.try_emplace(keyOf(*D), Body{&F, D});
      return true;
    }
    bool shouldVisitTemplateInstantiations() const { return true; }
    const EditedFile &F;
    std::map<std::string, Body> &Found;
  };
  for (const std::string &Name : Files.sources()) {
    const EditedFile *F = Files.find(Name);
    Sources[&F->Tree->Context] = F;
    Definitions(*F, ByName).TraverseAST(F->Tree->Context);
  }
}

Bodies::Body Bodies::of(const FunctionDecl &Callee) {
  if (Sources.empty())
    find();
  const FunctionDecl *Here = nullptr;
  if (Callee.hasBody(Here))
    return Here->hasAttr<WeakAttr>() ? Body{} : Body{Sources[&Here->getASTContext()], Here};
  auto Elsewhere = Callee.isExternallyVisible() ? ByName.find(keyOf(Callee)) : ByName.end();
  return Elsewhere == ByName.end() ? Body{} : Elsewhere->second;
}

bool Bodies::mayCall(const FunctionDecl &Function, Rows Are) { return Search(*this, Are).in(Function, true); }

bool Bodies::mayCall(const Stmt &Part, ASTContext &Context, Rows Are) {
  return Search(*this, Are).in(graphOf(Part, Context).get(), Context);
}

} // namespace rdma::source
