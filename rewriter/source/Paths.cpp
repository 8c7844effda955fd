#include "rewriter/source/Paths.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace rdma::source {

using namespace clang;

bool mayKeepPointer(QualType Of) {
  if (const ArrayType *Array = Of->getAsArrayTypeUnsafe())
    return mayKeepPointer(Array->getElementType());
  const RecordDecl *Record = Of->getAsRecordDecl();
  if (!Record || !Record->isCompleteDefinition())
    return !Of->isArithmeticType() && !Of->isEnumeralType();
  auto *Class = dyn_cast<CXXRecordDecl>(Record);
  return (Class && Class->getNumBases()) ||
         llvm::any_of(Record->fields(), [](const FieldDecl *F) { return mayKeepPointer(F->getType()); });
}

namespace {

/// The one variable that the name means at the slot; none when there are two that it could mean.
const VarDecl *variableAt(const Syntax &S, StringRef Name, const Slot &At) {
  struct Variables : RecursiveASTVisitor<Variables> {
    explicit Variables(StringRef Name) : Name(Name) {}
    bool VisitVarDecl(VarDecl *V) {
      if (V->getIdentifier() && V->getName() == Name)
        Found.push_back(V);
      HasStatic |= V->isStaticLocal() && mayKeepPointer(V->getType());
      return true;
    }
    StringRef Name;
    bool HasStatic = false;
    std::vector<const VarDecl *> Found;
  } Locals(Name);
  for (const ParmVarDecl *P : At.Function->parameters())
    Locals.VisitVarDecl(const_cast<ParmVarDecl *>(P));
  Locals.TraverseStmt(At.Function->getBody());
  // What posts may keep the queue pair that the first call gave it.
  if (Locals.HasStatic)
    return nullptr;
  if (Locals.Found.size() == 1)
    return S.visible(Locals.Found[0], At) ? Locals.Found[0] : nullptr;
  if (!Locals.Found.empty())
    return nullptr;
  for (const NamedDecl *D : S.Context.getTranslationUnitDecl()->lookup(&S.Context.Idents.get(Name)))
    if (auto *V = dyn_cast<VarDecl>(D); V && S.offset(V->getLocation()) < S.extent(At.At).first)
      return V;
  return nullptr;
}

const FieldDecl *publicField(QualType Of, StringRef Name) {
  const RecordDecl *Record = Of->getAsRecordDecl();
  if (Record)
    for (const FieldDecl *F : Record->fields())
      if (F->getName() == Name)
        return F->getAccess() == AS_private || F->getAccess() == AS_protected ? nullptr : F;
  return nullptr;
}

/// `[2]` at the end of a part.
bool takeIndex(StringRef &Part, StringRef &Index) {
  std::size_t Open = Part.find('[');
  Index = Open == StringRef::npos ? "" : Part.substr(Open);
  Part = Part.take_front(Open);
  if (Index.empty())
    return true;
  return Index.ends_with("]") && Index.size() > 2 &&
         Index.slice(1, Index.size() - 1).find_first_not_of("0123456789") == StringRef::npos;
}

} // namespace

std::optional<Path> pathAt(const Syntax &S, StringRef Name, const Slot &At) {
  Path Found;
  std::string Dotted = Name.str();
  for (std::size_t Arrow; (Arrow = Dotted.find("->")) != std::string::npos;)
    Dotted.replace(Arrow, 2, ".");
  for (StringRef Rest = Dotted; !Rest.empty();) {
    StringRef Part, Index;
    std::tie(Part, Rest) = Rest.split('.');
    if (Part.empty() || !takeIndex(Part, Index))
      return std::nullopt;
    if (!Found.Root) {
      Found.Root = variableAt(S, Part, At);
      if (!Found.Root)
        return std::nullopt;
      Found.Of = Found.Root->getType().getNonReferenceType();
      Found.Through.insert(Found.Root);
    } else {
      bool Arrow = Found.Of->isPointerType();
      const FieldDecl *F = publicField(Arrow ? Found.Of->getPointeeType() : Found.Of, Part);
      if (!F)
        return std::nullopt;
      Found.Text += Arrow ? "->" : ".";
      Found.Of = F->getType().getNonReferenceType();
      Found.Through.insert(F);
    }
    Found.Text += Part;
    if (Index.empty())
      continue;
    const Type *Element = Found.Of->getPointeeOrArrayElementType();
    if (!Found.Of->isPointerType() && !Found.Of->isArrayType())
      return std::nullopt;
    Found.Text += Index;
    Found.Of = QualType(Element, 0);
  }
  std::erase_if(Found.Through, [](const ValueDecl *D) { return !D->getType()->isPointerType(); });
  return Found.Root ? std::optional(Found) : std::nullopt;
}

std::string queuePairOf(const std::string &Name, QualType Of) {
  const RecordDecl *Record = Of->isPointerType() ? Of->getPointeeType()->getAsRecordDecl() : nullptr;
  std::string Kind = Record ? Record->getNameAsString() : "";
  if (Kind != "ibv_qp_ex" && Kind != "rdma_cm_id")
    return Name;
  std::string Base = Name.starts_with("&") ? Name.substr(1) + "." : Name + "->";
  return Kind == "rdma_cm_id" ? Base + "qp" : "&" + Base + "qp_base";
}

} // namespace rdma::source
