#include "analyzer/clang/frontend/AnnotationPlaces.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/IR/Constants.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr const char *Kind = "rdma.annotations";

/// The text that an argument of the attribute is, as the code generator evaluates it.
std::string textOf(const clang::Expr *Argument) {
  auto *Constant = dyn_cast<clang::ConstantExpr>(Argument);
  if (!Constant || !Constant->hasAPValueResult() || !Constant->getAPValueResult().isLValue())
    return "";
  auto *Base = Constant->getAPValueResult().getLValueBase().dyn_cast<const clang::Expr *>();
  auto *Text = dyn_cast_or_null<clang::StringLiteral>(Base);
  return Text && Text->getCharByteWidth() == 1 ? Text->getString().str() : "";
}

class Finder : public clang::ASTConsumer, public clang::RecursiveASTVisitor<Finder> {
public:
  explicit Finder(std::vector<WrittenAnnotation> &Found) : Found(Found) {}

  void HandleTranslationUnit(clang::ASTContext &Context) override {
    Sources = &Context.getSourceManager();
    TraverseDecl(Context.getTranslationUnitDecl());
  }

  /// Functions are declared in none.
  bool TraverseStmt(clang::Stmt *) { return true; }
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl *F) {
    for (const auto *A : F->specific_attrs<clang::AnnotateAttr>()) {
      if (A->getAnnotation() != "rdma-tidy")
        continue;
      clang::PresumedLoc Function = Sources->getPresumedLoc(F->getLocation());
      clang::PresumedLoc At = Sources->getPresumedLoc(Sources->getExpansionLoc(A->getLocation()));
      if (Function.isInvalid() || At.isInvalid())
        continue;
      std::vector<std::string> Words;
      for (const clang::Expr *Argument : A->args())
        Words.push_back(textOf(Argument));
      Found.push_back({Function.getFilename(),
                       Function.getLine(),
                       std::move(Words),
                       {At.getFilename(), At.getLine(), At.getColumn(), ""}});
    }
    return true;
  }

private:
  std::vector<WrittenAnnotation> &Found;
  const clang::SourceManager *Sources = nullptr;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> findAnnotations(std::vector<WrittenAnnotation> &Found) {
  return std::make_unique<Finder>(Found);
}

void keepAnnotations(Module &Unit, const std::vector<WrittenAnnotation> &Found) {
  LLVMContext &Context = Unit.getContext();
  auto number = [&](unsigned N) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), N));
  };
  for (const WrittenAnnotation &Each : Found) {
    std::vector<Metadata *> Parts{MDString::get(Context, Each.File), number(Each.Line),
                                  MDString::get(Context, Each.At.File), number(Each.At.Line),
                                  number(Each.At.Column)};
    for (const std::string &Word : Each.Words)
      Parts.push_back(MDString::get(Context, Word));
    Unit.getOrInsertNamedMetadata(Kind)->addOperand(MDNode::get(Context, Parts));
  }
}

Place placeOfAnnotation(const Module &All, const std::string &File, unsigned Line,
                        const std::vector<std::string> &Words) {
  constexpr unsigned Before = 5;
  if (const NamedMDNode *Kept = All.getNamedMetadata(Kind))
    for (const MDNode *Each : Kept->operands()) {
      auto number = [&](unsigned I) -> unsigned {
        return mdconst::extract<ConstantInt>(Each->getOperand(I))->getZExtValue();
      };
      auto text = [&](unsigned I) { return cast<MDString>(Each->getOperand(I))->getString(); };
      bool Same = text(0) == File && number(1) == Line && Each->getNumOperands() == Before + Words.size();
      for (unsigned I = 0; Same && I < Words.size(); ++I)
        Same = text(Before + I) == Words[I];
      if (Same)
        return {text(2).str(), number(3), number(4), ""};
    }
  return {File, Line, 0, ""};
}

} // namespace rdma::clang_ir
