#include "rewriter/source/SourceEditor.h"

#include "analyzer/clang/frontend/Frontend.h"
#include "analyzer/report/Places.h"
#include "ir/Litmus.h"
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

constexpr const char *Header = "#include <rdma/order.h>\n";

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
  if (Result.Text.find(source::Unspelled) != std::string::npos)
    return std::nullopt;
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

bool SourceEditor::Implementation::addAfter(const Place &Where, const std::string &Text) {
  File *F = file(Where.File);
  std::optional<Slot> At = F ? F->Tree->slot(Where) : std::nullopt;
  return At && !isa<ReturnStmt>(At->At) && insert(*F, *At, Text, true);
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

/// The include goes behind the last one before Limit that no #if guards, so that libibverbs' own come first.
static void addInclude(std::string &Text, std::size_t Limit) {
  if (Text.find("rdma/order.h") != std::string::npos)
    return;
  std::size_t At = 0;
  int Depth = 0;
  for (std::size_t Begin = 0, End; Begin < std::min(Limit, Text.size()); Begin = End) {
    End = std::min(Text.find('\n', Begin), Text.size() - 1) + 1;
    StringRef Line = StringRef(Text).slice(Begin, End).ltrim();
    if (!Line.consume_front("#"))
      continue;
    Line = Line.ltrim();
    Depth += Line.starts_with("if") ? 1 : Line.starts_with("endif") ? -1 : 0;
    if (Depth == 0 && Line.starts_with("include"))
      At = End;
  }
  if (At == 0 && Limit != std::string::npos) // the use that was found is in a comment above the includes
    return addInclude(Text, std::string::npos);
  Text.insert(At, Header);
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

/// A file that posts or polls must hand out what an inserted wait has put aside, so it needs the header too.
static std::size_t firstUse(const std::string &Text) {
  std::size_t First = std::string::npos;
  for (const char *Name : {"ibv_poll_cq", "ibv_post_send", "ibv_wr_", "rdma_wait(", "rdma_flush("})
    First = std::min(First, Text.find(Name));
  return First;
}

std::map<std::string, std::string> SourceEditor::result() const {
  std::map<std::string, std::string> Edited;
  for (const std::string &Name : Impl->Options.Files) {
    auto *F = Impl->file(Name);
    std::string Text = F->Contents;
    std::map<unsigned, std::string> Texts = insertions(F->Insertions);
    for (auto At = Texts.rbegin(); At != Texts.rend(); ++At)
      Text.insert(At->first, At->second);
    if (std::size_t Use = firstUse(Text); Impl->CallsHeader && Use != std::string::npos)
      addInclude(Text, Use);
    if (Text != F->Contents)
      Edited[Name] = Text;
  }
  return Edited;
}

} // namespace rdma
