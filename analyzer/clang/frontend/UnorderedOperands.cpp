#include "analyzer/clang/frontend/UnorderedOperands.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/IR/Constants.h>

#include <utility>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr const char *Kind = "rdma.unordered";

/// What an operand calls, not what a lambda in it does.
class CalleesOf : public clang::RecursiveASTVisitor<CalleesOf> {
public:
  CalleesOf(clang::ASTNameGenerator &Names, std::vector<std::string> &All) : Names(Names), All(All) {}

  bool TraverseLambdaExpr(clang::LambdaExpr *) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *) { return true; }
  bool VisitCallExpr(clang::CallExpr *Call) { return add(Call->getDirectCallee()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *Made) { return add(Made->getConstructor()); }

private:
  bool add(clang::FunctionDecl *F) {
    auto *Method = dyn_cast_or_null<clang::CXXMethodDecl>(F);
    All.push_back(!F || (Method && Method->isVirtual()) ? "" : Names.getName(F));
    return true;
  }

  clang::ASTNameGenerator &Names;
  std::vector<std::string> &All;
};

class Finder : public clang::ASTConsumer, public clang::RecursiveASTVisitor<Finder> {
  using Base = clang::RecursiveASTVisitor<Finder>;

public:
  explicit Finder(std::vector<UnorderedOperands> &Found) : Found(Found) {}

  void HandleTranslationUnit(clang::ASTContext &Context) override {
    Sources = &Context.getSourceManager();
    Cxx = Context.getLangOpts().CPlusPlus, Cxx17 = Context.getLangOpts().CPlusPlus17;
    Names = std::make_unique<clang::ASTNameGenerator>(Context);
    TraverseDecl(Context.getTranslationUnitDecl());
  }

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(clang::Decl *D) {
    if (D && D->getLocation().isValid() && Sources->isInSystemHeader(D->getLocation()))
      return true;
    const clang::FunctionDecl *Outer = Around;
    if (auto *F = dyn_cast_or_null<clang::FunctionDecl>(D); F && F->doesThisDeclarationHaveABody())
      Around = F;
    const bool Goes = Base::TraverseDecl(D);
    Around = Outer;
    return Goes;
  }

  bool TraverseLambdaExpr(clang::LambdaExpr *L) {
    const clang::FunctionDecl *Outer = std::exchange(Around, L->getCallOperator());
    const bool Goes = Base::TraverseLambdaExpr(L);
    Around = Outer;
    return Goes;
  }

  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *) { return true; } // sizeof

  bool VisitBinaryOperator(clang::BinaryOperator *B) {
    if (!isOrdered(B->getOpcode()))
      note(*B, {B->getLHS(), B->getRHS()});
    return true;
  }

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *S) {
    if (!Cxx17)
      note(*S, {S->getLHS(), S->getRHS()});
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *Call) {
    std::vector<clang::Expr *> Operands(Call->arg_begin(), Call->arg_end());
    if (auto *By = dyn_cast<clang::CXXOperatorCallExpr>(Call)) {
      // As the operator of the language itself; what is called as a function has been found before.
      if (By->isInfixBinaryOp() && isOrdered(clang::BinaryOperator::getOverloadedOpcode(By->getOperator())))
        return true;
      if (Cxx17 && By->getOperator() == clang::OO_Subscript)
        return true;
      if (Cxx17 && By->getOperator() == clang::OO_Call)
        Operands.erase(Operands.begin());
    } else if (!Cxx17) {
      Operands.push_back(Call->getCallee());
    }
    note(*Call, Operands);
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *Made) {
    if (!Made->isListInitialization())
      note(*Made, std::vector<clang::Expr *>(Made->arg_begin(), Made->arg_end()));
    return true;
  }

  bool VisitInitListExpr(clang::InitListExpr *List) {
    if (!Cxx)
      note(*List, List->inits().vec());
    return true;
  }

private:
  bool isOrdered(clang::BinaryOperatorKind Kind) const {
    using clang::BinaryOperator;
    return Kind == clang::BO_Comma || BinaryOperator::isLogicalOp(Kind) ||
           (Cxx17 && (BinaryOperator::isAssignmentOp(Kind) || BinaryOperator::isShiftOp(Kind) ||
                      BinaryOperator::isPtrMemOp(Kind)));
  }

  void note(const clang::Expr &Whole, const std::vector<clang::Expr *> &Operands) {
    if (!Around || Whole.isTypeDependent() || Whole.isValueDependent())
      return;
    UnorderedOperands Each;
    for (clang::Expr *Operand : Operands) {
      std::vector<std::string> Callees;
      if (Operand)
        CalleesOf(*Names, Callees).TraverseStmt(Operand);
      if (!Callees.empty())
        Each.Callees.push_back(std::move(Callees));
    }
    clang::PresumedLoc At = Sources->getPresumedLoc(Sources->getExpansionLoc(Whole.getExprLoc()));
    if (Each.Callees.size() < 2 || At.isInvalid())
      return;
    Each.Function = Names->getName(Around);
    Each.At = {At.getFilename(), At.getLine(), At.getColumn(), ""};
    Found.push_back(std::move(Each));
  }

  std::vector<UnorderedOperands> &Found;
  const clang::SourceManager *Sources = nullptr;
  std::unique_ptr<clang::ASTNameGenerator> Names;
  const clang::FunctionDecl *Around = nullptr;
  bool Cxx = false, Cxx17 = false;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> findUnordered(std::vector<UnorderedOperands> &Found) {
  return std::make_unique<Finder>(Found);
}

void keepUnordered(Module &Unit, const std::vector<UnorderedOperands> &Found) {
  LLVMContext &Context = Unit.getContext();
  auto number = [&](unsigned N) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), N));
  };
  for (const UnorderedOperands &Each : Found) {
    std::vector<Metadata *> Parts{MDString::get(Context, Each.Function), MDString::get(Context, Each.At.File),
                                  number(Each.At.Line), number(Each.At.Column)};
    for (const std::vector<std::string> &Callees : Each.Callees) {
      std::vector<Metadata *> Called;
      for (const std::string &Name : Callees)
        Called.push_back(MDString::get(Context, Name));
      Parts.push_back(MDNode::get(Context, Called));
    }
    Unit.getOrInsertNamedMetadata(Kind)->addOperand(MDNode::get(Context, Parts));
  }
}

std::vector<UnorderedOperands> unorderedIn(const Module &Whole) {
  std::vector<UnorderedOperands> All;
  const NamedMDNode *Kept = Whole.getNamedMetadata(Kind);
  for (const MDNode *Each :
       Kept ? Kept->operands() : iterator_range<NamedMDNode::const_op_iterator>({}, {})) {
    auto text = [&](const MDOperand &Of) { return cast<MDString>(Of)->getString().str(); };
    auto number = [&](unsigned I) -> unsigned {
      return mdconst::extract<ConstantInt>(Each->getOperand(I))->getZExtValue();
    };
    UnorderedOperands Operands;
    Operands.Function = text(Each->getOperand(0));
    Operands.At = {text(Each->getOperand(1)), number(2), number(3), ""};
    for (unsigned I = 4; I < Each->getNumOperands(); ++I) {
      std::vector<std::string> Callees;
      for (const MDOperand &Name : cast<MDNode>(Each->getOperand(I))->operands())
        Callees.push_back(text(Name));
      Operands.Callees.push_back(std::move(Callees));
    }
    All.push_back(std::move(Operands));
  }
  return All;
}

} // namespace rdma::clang_ir
