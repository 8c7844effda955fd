#include "analyzer/clang/frontend/FileAssembly.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclGroup.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr const char *Kind = "rdma.assembly";

class Finder : public clang::ASTConsumer {
public:
  explicit Finder(std::vector<Place> &Found) : Found(Found) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (clang::Decl *D : Group)
      if (isa<clang::FileScopeAsmDecl>(D)) {
        const clang::SourceManager &Sources = D->getASTContext().getSourceManager();
        clang::PresumedLoc At = Sources.getPresumedLoc(Sources.getExpansionLoc(D->getLocation()));
        if (At.isValid())
          Found.push_back({At.getFilename(), At.getLine(), At.getColumn(), ""});
      }
    return true;
  }

private:
  std::vector<Place> &Found;
};

/// Directives that only say how a symbol is linked.
bool isHarmless(StringRef Line) {
  Line = Line.trim();
  StringRef Word = Line.take_until([](char C) { return isSpace(C); });
  return Line.empty() || Line.starts_with("#") || Word == ".globl" || Word == ".global" || Word == ".ident" ||
         Word == ".hidden" || Word == ".symver";
}

} // namespace

std::unique_ptr<clang::ASTConsumer> findAssembly(std::vector<Place> &Found) {
  return std::make_unique<Finder>(Found);
}

void keepAssembly(Module &Unit, const std::vector<Place> &Found, const std::string &File) {
  SmallVector<StringRef> Lines;
  SplitString(Unit.getModuleInlineAsm(), Lines, "\n;");
  if (all_of(Lines, isHarmless))
    return;
  const Place At = Found.empty() ? Place{File, 1, 1, ""} : Found.front();
  LLVMContext &Context = Unit.getContext();
  auto number = [&](unsigned N) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), N));
  };
  Unit.getOrInsertNamedMetadata(Kind)->addOperand(
      MDNode::get(Context, {MDString::get(Context, At.File), number(At.Line), number(At.Column)}));
}

std::vector<Place> assemblyIn(const Module &All) {
  std::vector<Place> Places;
  if (const NamedMDNode *Kept = All.getNamedMetadata(Kind))
    for (const MDNode *Each : Kept->operands()) {
      auto number = [&](unsigned I) -> unsigned {
        return mdconst::extract<ConstantInt>(Each->getOperand(I))->getZExtValue();
      };
      Places.push_back({cast<MDString>(Each->getOperand(0))->getString().str(), number(1), number(2), ""});
    }
  return Places;
}

} // namespace rdma::clang_ir
