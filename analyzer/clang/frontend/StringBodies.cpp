#include "analyzer/clang/frontend/StringBodies.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclGroup.h>

namespace rdma::clang_ir {

namespace {

bool isOfString(const clang::FunctionDecl &F) {
  auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  const clang::CXXRecordDecl *Class = Method ? Method->getParent() : nullptr;
  return Class && Class->isDependentContext() && Class->isInStdNamespace() && Class->getIdentifier() &&
         Class->getName() == "basic_string";
}

class Strings : public clang::ASTConsumer {
public:
  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (clang::Decl *D : Group)
      if (auto *Space = llvm::dyn_cast<clang::NamespaceDecl>(D))
        for (clang::Decl *Inner : Space->decls())
          if (auto *F = llvm::dyn_cast<clang::FunctionDecl>(Inner); F && F->hasBody() && isOfString(*F))
            F->setImplicitlyInline();
    return true;
  }
};

} // namespace

std::unique_ptr<clang::ASTConsumer> instantiateStrings() { return std::make_unique<Strings>(); }

} // namespace rdma::clang_ir
