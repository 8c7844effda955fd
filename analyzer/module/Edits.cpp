#include "analyzer/module/Edits.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/FileSystem.h>

#include <algorithm>

namespace rdma::module {

using namespace clang;

namespace {

/// The outermost functions with a body.
class Bodies : public RecursiveASTVisitor<Bodies> {
public:
  Bodies(const SourceManager &Sources, std::vector<SourceRange> &Found) : Sources(Sources), Found(Found) {}

  bool TraverseFunctionDecl(FunctionDecl *F) { return add(F); }
  bool TraverseCXXMethodDecl(CXXMethodDecl *F) { return add(F); }
  bool TraverseCXXConstructorDecl(CXXConstructorDecl *F) { return add(F); }
  bool TraverseCXXDestructorDecl(CXXDestructorDecl *F) { return add(F); }
  bool TraverseCXXConversionDecl(CXXConversionDecl *F) { return add(F); }

private:
  bool add(FunctionDecl *F) {
    if (F->isThisDeclarationADefinition())
      Found.push_back({Sources.getFileLoc(F->getBeginLoc()), Sources.getFileLoc(F->getEndLoc())});
    return true;
  }

  const SourceManager &Sources;
  std::vector<SourceRange> &Found;
};

} // namespace

Edits::Edits(const Fix &F, ASTContext &Parsed) : Sources(Parsed.getSourceManager()) {
  Bodies(Sources, Functions).TraverseDecl(Parsed.getTranslationUnitDecl());
  for (const auto &[Name, New] : F.After) {
    const std::string &Old = F.Before.at(Name);
    SmallString<256> Path(Name);
    llvm::sys::fs::make_absolute(Path);
    auto File = Sources.getFileManager().getOptionalFileRef(Path);
    FileID Id = File ? Sources.translateFile(*File) : FileID();
    // One edit may be of no use without another.
    if (Id.isInvalid() || Sources.getBufferData(Id) != Old) {
      All.clear();
      return;
    }
    for (const Change &C : changes(Old, New)) {
      SourceLocation At = Sources.getComposedLoc(Id, C.Offset);
      All.push_back(
          {CharSourceRange::getCharRange(At, At.getLocWithOffset(C.Length)), C.Text, functionOf(At)});
    }
  }
}

SourceLocation Edits::functionOf(SourceLocation At) const {
  for (SourceRange Body : Functions)
    if (Sources.isPointWithin(At, Body.getBegin(), Body.getEnd()))
      return Body.getBegin();
  return {};
}

std::vector<FixItHint> Edits::take(SourceLocation Here, const std::vector<SourceLocation> &Findings) {
  auto isForOther = [&](const Edit &E) {
    auto belongsTo = [&](SourceLocation Finding) {
      return E.Function.isValid() ? functionOf(Finding) == E.Function
                                  : Sources.isWrittenInSameFile(Finding, E.Range.getBegin());
    };
    return !belongsTo(Here) && std::any_of(Findings.begin(), Findings.end(), belongsTo);
  };
  std::vector<FixItHint> Taken;
  std::erase_if(All, [&](const Edit &E) {
    if (isForOther(E))
      return false;
    Taken.push_back(FixItHint::CreateReplacement(E.Range, E.Text));
    return true;
  });
  return Taken;
}

} // namespace rdma::module
