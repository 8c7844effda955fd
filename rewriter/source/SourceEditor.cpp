#include "rewriter/source/SourceEditor.h"

#include "analyzer/clang/frontend/Frontend.h"
#include "analyzer/report/Places.h"
#include "ir/Litmus.h"
#include "rewriter/source/Hazards.h"
#include "rewriter/source/Syntax.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Tooling/Tooling.h>

#include <fstream>
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

/// What goes around one statement.
struct Wrapping {
  unsigned End = 0; ///< behind the statement's semicolon
  bool NeedsBraces = false;
  std::string Indent;
  std::vector<std::string> Before, After;
};

} // namespace

struct SourceEditor::Implementation {
  struct File {
    std::string Contents;
    std::unique_ptr<ASTUnit> Unit;
    std::unique_ptr<Syntax> Tree;
    std::map<unsigned, Wrapping> Insertions; ///< by where the statement begins
  };

  ExtractionOptions Options;
  std::map<std::string, File> Files;
  std::optional<Hazards> Found; ///< of all sources
  bool CallsHeader = false, Dry = false;

  File *file(const std::string &Name);
  std::optional<Named> nameInCaller(const std::vector<Place> &Chain, unsigned Argument, std::size_t Level);
  bool addBefore(const Place &Where, const Named &What, const std::string &Text);
  bool addAfter(const Place &Where, const Named &What, const std::string &Text);
  bool insert(File &F, const Slot &At, const std::string &Text, bool After);
  bool addFence(const Site &Second, std::string &Why);
  bool addMemoryFence(const Place &Where, std::string &Why);
  bool addWait(const Program &P, const PlannedEdit &Edit, std::string &Why);
  const Hazards &hazards();
};

const Hazards &SourceEditor::Implementation::hazards() {
  if (!Found) {
    Found.emplace();
    for (const std::string &Name : Options.Files)
      findHazards(*file(Name)->Tree, *Found);
  }
  return *Found;
}

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
    const CallExpr *Call = F ? F->Tree->call(Chain[I], I == 0 ? "" : Chain[I - 1].Function) : nullptr;
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
    const Syntax &Outside = *file(Chain[I].File)->Tree;
    if (const Expr *Object = source::objectOf(Calls[I]))
      Values[I - 1][nullptr] = source::address(Outside, Object, Values[I]);
    for (unsigned A = 0, First = source::firstArgument(Calls[I]);
         A < Body->getNumParams() && First + A < Calls[I]->getNumArgs(); ++A)
      Values[I - 1][Body->getParamDecl(A)] = substituted(Outside, Calls[I]->getArg(First + A), Values[I]);
  }
  const Syntax &Inner = *file(Chain[0].File)->Tree;
  Result.Text = substituted(Inner, Calls[0]->getArg(Argument), Values[0]);
  if (Result.Text.find(source::Unspelled) != std::string::npos)
    return std::nullopt;
  // What the text rests on at the outer level: the arguments of the outer call whose parameters were used.
  for (std::size_t I = 0; I < Level; ++I) {
    std::vector<const Expr *> Outer;
    const FunctionDecl *Body = file(Chain[I].File)->Tree->functionAround(Calls[I]);
    for (const Expr *Part : Result.Parts)
      if (!source::outerParts(Part, Body, Calls[I + 1], Outer))
        return std::nullopt;
    Result.Parts = std::move(Outer);
  }
  return Result;
}

bool SourceEditor::Implementation::insert(File &F, const Slot &At, const std::string &Text, bool After) {
  if (Dry)
    return true;
  auto [Begin, End] = F.Tree->extent(At.At);
  Wrapping &W = F.Insertions[Begin];
  W.End = End;
  W.NeedsBraces = At.NeedsBraces;
  W.Indent = F.Tree->indentation(At.At);
  std::vector<std::string> &Texts = After ? W.After : W.Before;
  if (std::find(Texts.begin(), Texts.end(), Text) == Texts.end())
    Texts.push_back(Text);
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

bool SourceEditor::Implementation::addAfter(const Place &Where, const Named &What, const std::string &Text) {
  File *F = file(Where.File);
  std::optional<Slot> At = F ? F->Tree->slot(Where) : std::nullopt;
  if (!At || isa<ReturnStmt>(At->At))
    return false;
  for (const Expr *Part : What.Parts)
    if (!F->Tree->visible(Part, *At))
      return false;
  return insert(*F, *At, Text, true);
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

bool SourceEditor::Implementation::addWait(const Program &P, const PlannedEdit &Edit, std::string &Why) {
  bool Flushes = Edit.What == Remedy::PolledGet;
  if (std::string Reason = hazards().against(Flushes); !Reason.empty()) {
    Why = Reason;
    return false;
  }
  const std::vector<Place> &Chain =
      P.Threads[Edit.Why.First.Thread].Statements[Edit.Why.First.Statement].Where.Chain;
  auto [Earlier, Later] = placesOfPair(P, Edit.Why.First, Edit.Why.Second);
  bool AtPost = Edit.How == PlannedEdit::Stand::Behind,
       Behind = AtPost || Edit.How == PlannedEdit::Stand::BehindCall;
  std::size_t Level = 0;
  while (!AtPost && Level + 1 < Chain.size() && Chain[Level] != Earlier)
    ++Level;
  Why = "the queue pair has no name at a place between the two operations";
  auto Pair = nameInCaller(Chain, 0, Level);
  if (!Pair)
    return false;
  std::string Text = (Flushes ? "rdma_flush(" : "rdma_wait(") + Pair->Text + ");";
  bool Added = Behind ? addAfter(Chain[Level], *Pair, Text) : addBefore(Later, *Pair, Text);
  CallsHeader |= Added && !Dry;
  return Added;
}

bool SourceEditor::add(const Program &P, const PlannedEdit &Edit, std::string &Why) {
  const Violation &V = Edit.Why;
  const Thread &T = P.Threads[V.Second.Thread];
  if (!T.Statements[V.First.Statement].Where.known() || !T.Statements[V.Second.Statement].Where.known() ||
      !T.Statements[Edit.At].Where.known()) {
    Why = "the place in the source is not known";
    return false;
  }
  if (Edit.What == Remedy::RemoteFence)
    return Impl->addFence(T.Statements[Edit.At].Where, Why);
  if (Edit.What == Remedy::MemoryFence)
    return Edit.How == PlannedEdit::Stand::Before &&
           Impl->addMemoryFence(placesOfPair(P, V.First, V.Second).second, Why);
  return Impl->addWait(P, Edit, Why);
}

bool SourceEditor::canAdd(const Program &P, const PlannedEdit &Edit, std::string &Why) {
  Impl->Dry = true;
  bool Can = add(P, Edit, Why);
  Impl->Dry = false;
  return Can;
}

/// Every text with the offset it goes to. At one offset what ends there comes first, the innermost before
/// others.
static std::map<unsigned, std::string> insertions(const std::map<unsigned, Wrapping> &Around) {
  std::map<unsigned, std::string> Heads, Texts;
  for (auto It = Around.rbegin(); It != Around.rend(); ++It) {
    const auto &[Begin, W] = *It;
    std::string Head = W.NeedsBraces ? "{\n" + W.Indent + "  " : "";
    for (const std::string &Text : W.Before)
      Head += Text + "\n" + W.Indent + (W.NeedsBraces ? "  " : "");
    std::string Tail;
    for (const std::string &Text : W.After)
      Tail += "\n" + W.Indent + (W.NeedsBraces ? "  " : "") + Text;
    Heads[Begin] = Head;
    Texts[W.End] += Tail + (W.NeedsBraces ? "\n" + W.Indent + "}" : "");
  }
  for (const auto &[Begin, Head] : Heads)
    Texts[Begin] += Head;
  return Texts;
}

static std::string withLineEndsOf(const std::string &Contents, std::string Text) {
  if (Contents.find("\r\n") == std::string::npos)
    return Text;
  for (std::size_t At = 0; (At = Text.find('\n', At)) != std::string::npos; At += 2)
    Text.insert(At, 1, '\r');
  return Text;
}

/// The header notes what a source posts, so every source that posts needs it, before the functions that do.
static bool needsHeader(const Syntax &Tree, const std::string &Contents, bool Edited) {
  return (Edited || Tree.posts()) && Contents.find("rdma/order.h") == std::string::npos;
}

std::map<std::string, std::string> SourceEditor::result() const {
  std::map<std::string, std::string> Edited;
  for (const std::string &Name : Impl->Options.Files) {
    auto *F = Impl->file(Name);
    std::string Text = F->Contents;
    std::map<unsigned, std::string> Texts = insertions(F->Insertions);
    if (Impl->CallsHeader && needsHeader(*F->Tree, Text, !Texts.empty()))
      if (std::optional<unsigned> At = F->Tree->firstVerbsInclude())
        Texts[*At] = "#include <rdma/order.h>\n" + Texts[*At];
    for (auto At = Texts.rbegin(); At != Texts.rend(); ++At)
      Text.insert(At->first, withLineEndsOf(F->Contents, At->second));
    if (Text != F->Contents)
      Edited[Name] = Text;
  }
  return Edited;
}

} // namespace rdma
