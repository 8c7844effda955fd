#include "rewriter/source/SourceEditor.h"

#include "analyzer/clang/Frontend.h"
#include "analyzer/report/Places.h"
#include "ir/Litmus.h"
#include "rewriter/source/Syntax.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Tooling/Tooling.h>

#include <fstream>
#include <set>
#include <sstream>

namespace rdma {

using namespace clang;
using source::Slot;
using source::Syntax;

namespace {

/// An expression in the terms of one function, with the variables it needs there.
struct Named {
  std::string Text;
  std::vector<const Expr *> Parts; ///< what its text was made of; each must be visible where it is used
};

constexpr const char *Header = "#include <rdma/order.h>\n";

} // namespace

struct SourceEditor::Implementation {
  struct File {
    std::string Contents;
    std::unique_ptr<ASTUnit> Unit;
    std::unique_ptr<Syntax> Tree;
    /// Offset to the texts that go there, in the order they were added.
    std::map<unsigned, std::vector<std::string>> Insertions;
  };

  ExtractionOptions Options;
  std::map<std::string, File> Files;
  bool CallsHeader = false;

  File *file(const std::string &Name);
  std::optional<Named> nameInCaller(const std::vector<Place> &Chain, unsigned Argument, std::size_t Level);
  bool addBefore(const Place &Where, const Named &What, const std::string &Text);
  bool addAfter(const Place &Where, const std::string &Text);
  bool insert(File &F, const Slot &At, const std::string &Text, bool After);
  bool addFence(const Site &Second, std::string &Why);
  bool addMemoryFence(const Place &Where, std::string &Why);
};

/// The file's syntax tree; nothing for a file that is not one of the sources under analysis.
SourceEditor::Implementation::File *SourceEditor::Implementation::file(const std::string &Name) {
  if (auto Found = Files.find(Name); Found != Files.end())
    return &Found->second;
  if (std::find(Options.Files.begin(), Options.Files.end(), Name) == Options.Files.end())
    return nullptr;
  File &F = Files[Name];
  if (auto Given = Options.Overlay.find(Name); Given != Options.Overlay.end()) {
    F.Contents = Given->second;
  } else {
    std::ifstream In(Name, std::ios::binary);
    F.Contents.assign(std::istreambuf_iterator<char>(In), {});
  }
  std::vector<std::string> Flags = clang_ir::flagsFor(Name, Options);
  Flags.push_back("-resource-dir=" RDMA_CLANG_RESOURCES);
  Flags.push_back("-w");
  F.Unit = tooling::buildASTFromCodeWithArgs(F.Contents, Flags, Name, "rdma-fix");
  if (!F.Unit)
    throw InputError({Name, 0, 0, {}}, "cannot be parsed");
  F.Tree = std::make_unique<Syntax>(*F.Unit);
  return &F;
}

/// An argument of the call at Chain[0], in terms of the function of Chain[Level]: parameters become what the
/// callers on the way handed in.
std::optional<Named> SourceEditor::Implementation::nameInCaller(const std::vector<Place> &Chain,
                                                                unsigned Argument, std::size_t Level) {
  std::vector<std::map<const ValueDecl *, std::string>> Values(Level + 1);
  std::vector<const CallExpr *> Calls;
  for (std::size_t I = 0; I <= Level; ++I) {
    File *F = file(Chain[I].File);
    const CallExpr *Call = F ? F->Tree->call(Chain[I]) : nullptr;
    if (!Call)
      return std::nullopt;
    Calls.push_back(Call);
  }
  if (Argument >= Calls[0]->getNumArgs())
    return std::nullopt;
  Named Result;
  Result.Parts = {Calls[0]->getArg(Argument)};
  // From the outermost call inwards: what each callee's parameters stand for.
  for (std::size_t I = Level; I > 0; --I) {
    const FunctionDecl *Callee = Calls[I]->getDirectCallee();
    const FunctionDecl *Body = file(Chain[I - 1].File)->Tree->functionAround(Calls[I - 1]);
    if (!Callee || !Body || Callee->getNumParams() != Body->getNumParams())
      return std::nullopt;
    // A member operator's first argument is its object; such calls are left alone.
    if (isa<CXXOperatorCallExpr>(Calls[I]))
      return std::nullopt;
    for (unsigned A = 0; A < Body->getNumParams() && A < Calls[I]->getNumArgs(); ++A)
      Values[I - 1][Body->getParamDecl(A)] =
          substituted(*file(Chain[I].File)->Tree, Calls[I]->getArg(A), Values[I]);
  }
  const Syntax &Inner = *file(Chain[0].File)->Tree;
  Result.Text = substituted(Inner, Calls[0]->getArg(Argument), Values[0]);
  // What the text rests on at the outer level: the arguments of the outer call whose parameters were used.
  for (std::size_t I = 0; I < Level; ++I) {
    std::vector<const Expr *> Outer;
    const FunctionDecl *Body = file(Chain[I].File)->Tree->functionAround(Calls[I]);
    for (const Expr *Part : Result.Parts)
      for (const VarDecl *V : source::variables(Part)) {
        if (V->hasGlobalStorage() && !V->isLocalVarDecl())
          continue;
        unsigned A = 0;
        while (A < Body->getNumParams() && Body->getParamDecl(A) != V)
          ++A;
        if (A >= Body->getNumParams() || A >= Calls[I + 1]->getNumArgs())
          return std::nullopt; // a local variable of the callee has no name outside
        Outer.push_back(Calls[I + 1]->getArg(A));
      }
    Result.Parts = std::move(Outer);
  }
  return Result;
}

bool SourceEditor::Implementation::insert(File &F, const Slot &At, const std::string &Text, bool After) {
  auto [Begin, End] = F.Tree->extent(At.At);
  std::string Indent = F.Tree->indentation(At.At);
  if (At.NeedsBraces) {
    F.Insertions[Begin].push_back("{\n" + Indent + Text + "\n" + Indent);
    F.Insertions[End].push_back("\n" + Indent + "}");
    return true;
  }
  if (After)
    F.Insertions[End].push_back("\n" + Indent + Text);
  else
    F.Insertions[Begin].push_back(Text + "\n" + Indent);
  return true;
}

bool SourceEditor::Implementation::addBefore(const Place &Where, const Named &What, const std::string &Text) {
  File *F = file(Where.File);
  std::optional<Slot> At = F ? F->Tree->slot(Where) : std::nullopt;
  if (!At)
    return false;
  for (const Expr *Part : What.Parts)
    if (!F->Tree->visible(Part, *At))
      return false;
  return insert(*F, *At, Text, false);
}

bool SourceEditor::Implementation::addAfter(const Place &Where, const std::string &Text) {
  File *F = file(Where.File);
  std::optional<Slot> At = F ? F->Tree->slot(Where) : std::nullopt;
  return At && !At->NeedsBraces && !isa<ReturnStmt>(At->At) && insert(*F, *At, Text, true);
}

/// IBV_SEND_FENCE on the request that the call at the innermost place posts.
bool SourceEditor::Implementation::addFence(const Site &Second, std::string &Why) {
  const Place &Post = Second.Chain.front();
  std::optional<Named> Request = nameInCaller({Post}, 1, 0);
  if (!Request) {
    Why = "the request has no name where it is posted";
    return false;
  }
  std::string Text = Request->Text.starts_with("&") ? Request->Text.substr(1) + "." : Request->Text + "->";
  Why = "no statement can stand before the post";
  return addBefore(Post, *Request, Text + "send_flags |= IBV_SEND_FENCE;");
}

bool SourceEditor::Implementation::addMemoryFence(const Place &Where, std::string &Why) {
  Why = "no statement can stand before the load";
  return addBefore(Where, {}, "__atomic_thread_fence(__ATOMIC_SEQ_CST);");
}

SourceEditor::SourceEditor(const ExtractionOptions &Options) : Impl(std::make_unique<Implementation>()) {
  Impl->Options = Options;
}
SourceEditor::~SourceEditor() = default;

bool SourceEditor::add(const Program &P, const PlannedEdit &Edit, std::string &Why) {
  const Violation &V = Edit.Why;
  auto SiteOf = [&](const EventRef &E) { return P.Threads[E.Thread].Statements[E.Statement].Where; };
  Site First = SiteOf(V.First), Second = SiteOf(V.Second);
  if (!First.known() || !Second.known()) {
    Why = "the place in the source is not known";
    return false;
  }
  if (Edit.What == Remedy::RemoteFence)
    return Impl->addFence(Second, Why);
  Place Later = placesOfPair(P, V.First, V.Second).second;
  if (Edit.What == Remedy::MemoryFence)
    return Impl->addMemoryFence(Later, Why);
  const char *Call = Edit.What == Remedy::Poll ? "rdma_wait(" : "rdma_flush(";
  std::size_t Level = 0;
  while (Level + 1 < First.Chain.size() && First.Chain[Level] != placesOfPair(P, V.First, V.Second).first)
    ++Level;
  if (auto Pair = Impl->nameInCaller(First.Chain, 0, Level))
    if (Impl->addBefore(Later, *Pair, Call + Pair->Text + ");"))
      return Impl->CallsHeader = true;
  // Right behind the post: the queue pair has a name there.
  if (auto Pair = Impl->nameInCaller(First.Chain, 0, 0))
    if (Impl->addAfter(First.Chain.front(), Call + Pair->Text + ");"))
      return Impl->CallsHeader = true;
  Why = "the queue pair has no name at a place between the two operations";
  return false;
}

/// The include goes behind the last one of the file, so that libibverbs' own come first.
static void addInclude(std::string &Text) {
  if (Text.find("rdma/order.h") != std::string::npos)
    return;
  std::size_t Last = Text.rfind("\n#include");
  std::size_t At = Last == std::string::npos
                       ? (Text.starts_with("#include") ? Text.find('\n') : std::string::npos)
                       : Text.find('\n', Last + 1);
  Text.insert(At == std::string::npos ? 0 : At + 1, Header);
}

std::map<std::string, std::string> SourceEditor::result() const {
  std::map<std::string, std::string> Edited;
  for (const std::string &Name : Impl->Options.Files) {
    auto *F = Impl->file(Name);
    std::string Text = F->Contents;
    for (auto At = F->Insertions.rbegin(); At != F->Insertions.rend(); ++At) {
      std::string Inserted;
      std::set<std::string> Once;
      for (const std::string &Part : At->second)
        if (Once.insert(Part).second)
          Inserted += Part;
      Text.insert(At->first, Inserted);
    }
    // A file that polls must hand out what an inserted wait has put aside, so it needs the header too.
    bool Polls =
        Text.find("ibv_poll_cq") != std::string::npos || Text.find("ibv_post_send") != std::string::npos;
    if (Impl->CallsHeader && (Polls || Text.find("rdma_wait(") != std::string::npos ||
                              Text.find("rdma_flush(") != std::string::npos))
      addInclude(Text);
    if (Text != F->Contents)
      Edited[Name] = Text;
  }
  return Edited;
}

} // namespace rdma
