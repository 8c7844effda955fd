#include "rewriter/source/EditorParts.h"

#include "analyzer/clang/frontend/Frontend.h"
#include "analyzer/report/Places.h"
#include "ir/Litmus.h"
#include "rewriter/Files.h"
#include "rewriter/plan/RefusalTexts.h"
#include "rewriter/source/Builders.h"
#include "rewriter/source/Edits.h"
#include "rewriter/source/Handlers.h"
#include "rewriter/source/Includes.h"
#include "rewriter/source/Inline.h"
#include "rewriter/source/OwnPoll.h"
#include "rewriter/source/Requests.h"
#include "rewriter/source/Rights.h"
#include "rewriter/source/Sizes.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/FileSystem.h>

#include <filesystem>

namespace rdma {

using namespace clang;
using source::Named;
using source::Slot;
using source::Syntax;

/// A call that destroys queue pairs, or one of code that is not given and gets something to change.
bool SourceEditor::Implementation::mayEndPairs(const Statement &S) {
  using enum OperationKind;
  if (!S.Where.known() || !(S.Op.Outside || S.Op.Kind == MemoryFence))
    return false;
  File *F = Files.find(S.Where.Chain.front().File);
  const CallExpr *Call = F ? F->Tree->call(S.Where.Chain.front(), "") : nullptr;
  return Call ? source::mayEndPairs(Call) : S.Op.Outside;
}

/// Is the variable there when the thread begins? A lambda that a thread runs may know one of the function
/// that started the thread.
bool SourceEditor::Implementation::isFromOutside(const VarDecl *V, const std::vector<Place> &Chain) {
  if (V->hasGlobalStorage() || isa<ParmVarDecl>(V))
    return true;
  auto *Owner = dyn_cast<FunctionDecl>(V->getDeclContext());
  return Owner && std::none_of(Chain.begin(), Chain.end(), [&](const Place &Call) {
           File *F = Files.find(Call.File);
           const FunctionDecl *Around = F ? F->Tree->functionAt(Call) : nullptr;
           return Around && Around->getNameAsString() == Owner->getNameAsString();
         });
}

bool SourceEditor::Implementation::isAlive(const Program &P, const PlannedEdit &Edit, const Named &Pair) {
  if (Of != &P || !Alive) {
    Alive.emplace(P, [&](const Statement &S) { return mayEndPairs(S); });
    Of = &P;
  }
  const std::vector<Place> &Chain = P.Threads[Edit.Why.Second.Thread].Statements[Edit.At].Where.Chain;
  bool FromOutside = !Pair.Root || isFromOutside(Pair.Root, Chain);
  for (const Expr *Part : Pair.Parts)
    for (const VarDecl *V : source::variables(Part))
      FromOutside &= isFromOutside(V, Chain);
  return Alive->existWhere(Edit, FromOutside);
}

const Hazards &SourceEditor::Implementation::hazards() {
  if (!Found) {
    Found.emplace();
    for (const std::string &Name : Files.sources()) {
      File &F = *Files.find(Name);
      findHazards(*F.Tree, Name, Given, *Found);
      const Expr *Names = source::lacksHeader(*F.Tree, F.Contents) ? F.Tree->replaced() : nullptr;
      if (Names)
        noteHazard(*F.Tree, Name, Names->getBeginLoc(), Found->NoHeader);
      if (SourceLocation Macro = F.Tree->macroOfReplaced(); Macro.isValid())
        noteHazard(*F.Tree, Name, Macro, Found->OwnMacro);
    }
    source::findHandlers(Files, Given, *Found);
    source::findRights(trees(), Files.sources(), *Found);
  }
  return *Found;
}

/// Where the text goes, before the loop that is behind another place if so told; nothing where what it names
/// is not declared or not accessible.
std::optional<Slot> SourceEditor::Implementation::slotFor(const Place &Where, const Named &What,
                                                          const Place *BeforeLoopFrom) {
  File *F = Files.find(Where.File);
  if (!F || !F->MayChange)
    return std::nullopt;
  std::optional<Slot> At =
      BeforeLoopFrom ? F->Tree->slotBeforeLoop(Where, *BeforeLoopFrom) : F->Tree->slot(Where);
  return At && source::fits(*F, *At, What) ? At : std::nullopt;
}

/// Not where requests are being built that it would post among, nor before what another node waits for.
bool SourceEditor::Implementation::put(File &F, const Slot &At, const std::string &Text, bool Behind) {
  for (const std::vector<Place> &Chain : Posts) {
    source::Batches::Begun Open =
        hazards().Builds ? Building.at(F, At, Behind, Chain) : source::Batches::Begun();
    if (Open.Start) {
      const SourceManager &Sources = Open.In->Tree->Context.getSourceManager();
      unsigned Line = Sources.getExpansionLineNumber(Open.Start->getBeginLoc());
      InTheWay = refusals::BeingBuilt(Open.In->Name + ":" + std::to_string(Line));
      return false;
    }
    std::string Tells = ForMessages ? Telling.behind(F, At, Behind, Chain, Posting) : "";
    if (!Tells.empty()) {
      InTheWay = refusals::TellsFirst(Tells);
      return false;
    }
  }
  return Behind && isa<ReturnStmt>(At.At) ? addBehindReturn(F, At, Text, Dry)
                                          : insert(F, At, Text, Behind, Dry);
}

bool SourceEditor::Implementation::addBefore(const Place &Where, const Named &What, const std::string &Text) {
  std::optional<Slot> At = slotFor(Where, What);
  return At && put(*Files.find(Where.File), *At, Text, false);
}

bool SourceEditor::Implementation::addBeforeLoop(const Place &In, const Place &NotIn, const Named &What,
                                                 const std::string &Text) {
  std::optional<Slot> At = In.File == NotIn.File ? slotFor(In, What, &NotIn) : std::nullopt;
  return At && put(*Files.find(In.File), *At, Text, false);
}

/// Before the loop of the source that the edit's statement heads, or has become the rounds of, which both
/// operations are in.
bool SourceEditor::Implementation::addBeforeInner(const Program &P, const PlannedEdit &Edit, const Place &In,
                                                  const Named &What, const std::string &Text) {
  const std::vector<Statement> &All = P.Threads[Edit.Why.Second.Thread].Statements;
  // What was unrolled is one loop more than the statement is in.
  bool Unrolled = Edit.How == PlannedEdit::Stand::Unrolled;
  unsigned Inner = Unrolled ? 0 : All[Edit.Why.Second.Statement].LoopDepth - All[Edit.At].LoopDepth;
  unsigned Least = Unrolled ? All[Edit.At].LoopDepth + 1 : 0;
  // Not all of them are in this function.
  const std::vector<Place> &Chain = All[Edit.At].Where.Chain;
  for (auto Call = llvm::find(Chain, In); Call != Chain.end() && ++Call != Chain.end();)
    if (File *Outer = Files.find(Call->File))
      Least -= std::min<unsigned>(Least, Outer->Tree->loopsAround(*Call).size());
  Least = std::max(Least, unsigned(Unrolled));
  File *F = Files.find(In.File);
  std::optional<Slot> At = F && F->MayChange ? F->Tree->slotBeforeLoopAround(In, Inner, Least) : std::nullopt;
  return At && source::fits(*F, *At, What) && put(*F, *At, Text, false);
}

bool SourceEditor::Implementation::addAfter(const Place &Where, const Named &What, const std::string &Text) {
  std::optional<Slot> At = slotFor(Where, What);
  return At && put(*Files.find(Where.File), *At, Text, true);
}

/// Where the post is tested and the way of its failure leaves, first of all there: `if (post(...)) return;`.
void SourceEditor::Implementation::addOnFailure(const Place &Post, const Named &What,
                                                const std::string &Text) {
  std::optional<Slot> At = slotFor(Post, What);
  File &F = *Files.find(Post.File);
  const Stmt *First = At ? source::leavesOnTest(*F.Tree, At->At, F.Tree->offsetOf(Post)) : nullptr;
  if (First)
    insert(F, {First, At->Function, !isa<CompoundStmt>(cast<IfStmt>(At->At)->getThen())}, Text, false, Dry);
}

std::vector<const Syntax *> SourceEditor::Implementation::trees() {
  std::vector<const Syntax *> All;
  for (const std::string &Name : Files.sources())
    All.push_back(Files.find(Name)->Tree.get());
  return All;
}

/// IBV_SEND_INLINE where the request is posted: what is posted there must all fit, whoever calls it.
bool SourceEditor::Implementation::addInline(const Program &P, const Thread &T, StatementId At,
                                             std::string &Why) {
  if (!Limit)
    Limit = source::inlineLimit(trees()).value_or(0);
  const std::vector<Place> &Chain = T.Statements[At].Where.Chain;
  std::vector<Place> Calls;
  bool Fits = true;
  for (const Thread &Each : P.Threads)
    for (const Statement &S : Each.Statements) {
      Calls.insert(Calls.end(), S.Where.Chain.begin(), S.Where.Chain.end());
      if (!isRequest(S.Op.Kind) || !S.Where.known() || S.Where.Chain.front() != Chain.front())
        continue;
      const Access &Sent = S.Op.Local;
      Fits &= S.Op.Kind == OperationKind::Put && !Sent.whole() && !Sent.Somewhere &&
              std::uint64_t(Sent.End - Sent.Begin) <= *Limit &&
              source::placeInList(Each, &S - Each.Statements.data()).second == 1;
    }
  Why = "how many bytes a request may take along is not known for all that is posted there";
  for (std::size_t Level = 0; Fits && Level + 1 < Chain.size(); ++Level) {
    File *F = Files.find(Chain[Level].File);
    const FunctionDecl *Around = F ? F->Tree->functionAt(Chain[Level]) : nullptr;
    Fits = Around && source::calledOnlyAt(Around, trees(), Calls);
  }
  return Fits && addFlag(T, At, 0, "IBV_SEND_INLINE", Why);
}

/// A flag on a request that the call at the innermost place posts, before a call of the chain.
bool SourceEditor::Implementation::addFlag(const Thread &T, StatementId At, unsigned Level,
                                           const std::string &Flag, std::string &Why) {
  const std::vector<Place> &Chain = T.Statements[At].Where.Chain;
  const Place &Post = Chain[Level];
  auto [Index, Count] = source::placeInList(T, At);
  if (auto Begun = source::requestsBegunFor(*Files.find(Post.File)->Tree, Post); !Begun.empty()) {
    Why = refusals::NoPlaceForFlag();
    return Level == 0 && Begun.size() == Count && addBuilderFlag(Post, *Begun[Index], Flag);
  }
  std::optional<Named> Request = source::nameInCaller(Files, Chain, 1, Level);
  if (const FunctionDecl *F = Request && Count > 1 && !Request->Parts.empty()
                                  ? Files.find(Post.File)->Tree->functionAround(Request->Parts[0])
                                  : nullptr) {
    // One that is not the first has a name of its own, or none.
    auto List = source::requestsFrom(Request->Parts[0], *F, Count);
    if (List.empty() || (List.size() > 1 && List.size() < Count)) {
      Why = refusals::WhichRequest();
      return false;
    }
    // It may end early, where a post fails.
    if (List.size() > 1) {
      const auto &[Of, Element, IsAddress] = List[Index];
      Request->Parts = Request->Names = {Of};
      Request->Text =
          (IsAddress ? "" : "&") + Files.find(Post.File)->Tree->text(Of->getSourceRange()) + Element;
    }
  }
  const RecordDecl *Kind = Request && (Request->Of->isPointerType() || Request->Of->isArrayType())
                               ? Request->Of->getPointeeOrArrayElementType()->getAsRecordDecl()
                               : nullptr;
  File &F = *Files.find(Post.File);
  if (!Kind || Kind->getName() != "ibv_send_wr") {
    Why = refusals::NoRequest();
    const Expr *Flags = Level > 0 && Count == 1 && F.MayChange ? handedFlags(Chain, Level) : nullptr;
    return Flags && addToFlags(F, Flags, Flag, Dry);
  }
  if (const auto *Literal = Request->Parts.empty() ? nullptr : source::literalOf(Request->Parts[0]))
    return F.MayChange && Count == 1 && addFlagInLiteral(F, *Literal, Flag, Dry);
  std::string Text = Request->Text.starts_with("&") ? Request->Text.substr(1) + "." : Request->Text + "->";
  Why = refusals::NoPlaceForFlag();
  std::optional<Slot> Before = slotFor(Post, *Request);
  if (!Before)
    return false;
  if (const Expr *Flags = source::flagsSetAbove(*F.Tree, *Before, Text, Request->Parts))
    return addToFlags(F, Flags, Flag, Dry);
  return insert(F, *Before, Text + "send_flags |= " + Flag + ";", false, Dry);
}

/// What the function of Chain[Level] hands over as the flags of the request that is posted at Chain[0].
const Expr *SourceEditor::Implementation::handedFlags(const std::vector<Place> &Chain, unsigned Level) {
  std::optional<Named> Request = source::nameInCaller(Files, Chain, 1, 0);
  std::optional<Slot> Before = Request ? slotFor(Chain[0], *Request) : std::nullopt;
  if (!Before)
    return nullptr;
  std::string Text = Request->Text.starts_with("&") ? Request->Text.substr(1) + "." : Request->Text + "->";
  const Syntax &Inside = *Files.find(Chain[0].File)->Tree;
  const Expr *Flags = source::flagsSetAbove(Inside, *Before, Text, Request->Parts);
  return Flags ? source::handedInCaller(Files, Flags, Chain, Level) : nullptr;
}

/// Where ibv_wr_rdma_write and its kind begin the request.
bool SourceEditor::Implementation::addBuilderFlag(const Place &Post, const CallExpr &Begin,
                                                  const std::string &Flag) {
  File &F = *Files.find(Post.File);
  Place Where = Post;
  const SourceManager &Sources = F.Tree->Context.getSourceManager();
  Where.Line = Sources.getExpansionLineNumber(Begin.getBeginLoc());
  Where.Column = Sources.getExpansionColumnNumber(Begin.getBeginLoc());
  std::optional<Slot> Before = slotFor(Where, {});
  if (!Before)
    return false;
  if (const Expr *Flags = source::builderFlagsAbove(*F.Tree, *Before, &Begin))
    return addToFlags(F, Flags, Flag, Dry);
  return insert(F, *Before, F.Tree->text(Begin.getArg(0)->getSourceRange()) + "->wr_flags |= " + Flag + ";",
                false, Dry);
}

/// On the request that is meant, or on each of its kind that the same call posts.
bool SourceEditor::Implementation::addFences(const Thread &T, const PlannedEdit &Edit, std::string &Why) {
  const Statement &Meant = T.Statements[Edit.At];
  for (StatementId S = 0; S < T.Statements.size(); ++S) {
    const Statement &Here = T.Statements[S];
    bool Too = S == Edit.At || (Edit.OnAll && Here.Op.Kind == Meant.Op.Kind && Here.Where == Meant.Where);
    if (Too && !addFlag(T, S, Edit.Level, "IBV_SEND_FENCE", Why))
      return false;
  }
  return true;
}

bool SourceEditor::Implementation::addMemoryFence(const Program &P, const PlannedEdit &Edit,
                                                  std::string &Why) {
  using enum PlannedEdit::Stand;
  constexpr const char *Text = "__atomic_thread_fence(__ATOMIC_SEQ_CST);";
  const Place &Store = P.Threads[Edit.Why.First.Thread].Statements[Edit.Why.First.Statement].Where.Chain[0];
  auto [Earlier, Later] = placesOf(P, Edit);
  Why = refusals::NoPlaceForFence();
  if (inOneStatement(P, Edit, Edit.How == Behind ? Store : Earlier, Later))
    return false;
  return Edit.How == Before       ? addBefore(Later, {}, Text)
         : Edit.How == Behind     ? addAfter(Store, {}, Text)
         : Edit.How == BehindCall ? addAfter(Earlier, {}, Text)
                                  : false;
}

SourceEditor::SourceEditor(const ExtractionOptions &Options)
    : Impl(std::make_unique<Implementation>(Options)) {}
SourceEditor::~SourceEditor() = default;

/// The program's own polls, the first so many, from behind the later operation to before it.
bool SourceEditor::Implementation::movePolls(const Program &P, const PlannedEdit &Edit, std::string &Why) {
  Why = "no poll behind it can move up";
  auto [Earlier, Later] = placesOf(P, Edit);
  bool BeforeLoop = Edit.How != PlannedEdit::Stand::Before;
  if (hazards().TwoSided || (BeforeLoop && Later.File != Earlier.File))
    return false;
  std::optional<Slot> At = slotFor(Later, {}, BeforeLoop ? &Earlier : nullptr);
  if (!At || At->NeedsBraces)
    return false;
  File &F = *Files.find(Later.File);
  std::map<unsigned, unsigned> Lines;
  std::string Moved;
  for (const source::OwnPoll &Poll : source::movablePolls(*F.Tree, *At, Edit.OwnPolls)) {
    auto Own = *source::ownLines(*F.Tree, Poll);
    Lines.insert(Own);
    Moved += F.Contents.substr(Own.first, Own.second - Own.first);
  }
  Moved = llvm::StringRef(Moved).trim().str();
  std::erase(Moved, '\r');
  if (MovedUp == std::pair(At->At, Moved) && !Lines.empty())
    return true; // for the requests of another queue pair
  auto Within = [&](const auto &Edits) {
    return std::any_of(Lines.begin(), Lines.end(), [&](const auto &Own) {
      auto Next = Edits.lower_bound(Own.first);
      return Next != Edits.end() && Next->first < Own.second;
    });
  };
  if (Lines.empty() || Within(F.Insertions) || Within(F.Removed) || !insert(F, *At, Moved, false, Dry))
    return false;
  if (!Dry) {
    F.Removed.insert(Lines.begin(), Lines.end());
    MovedUp = {At->At, Moved};
  }
  return true;
}

bool SourceEditor::add(const Program &P, const PlannedEdit &Edit, std::string &Why) {
  const Violation &V = Edit.Why;
  const Thread &T = P.Threads[V.Second.Thread];
  Impl->Posts.clear();
  // What stands behind a post is for all that comes later, which may be a parameter that is set for a call.
  bool NeedsLater = Edit.How != PlannedEdit::Stand::Behind;
  if (!T.Statements[V.First.Statement].Where.known() ||
      (NeedsLater && !T.Statements[V.Second.Statement].Where.known()) ||
      (Edit.How != PlannedEdit::Stand::Entering && !T.Statements[Edit.At].Where.known())) {
    Why = refusals::NoSite();
    return false;
  }
  if (Edit.What == Remedy::RemoteFence)
    return Impl->addFences(T, Edit, Why);
  if (!Edit.Inlined.empty())
    return std::all_of(Edit.Inlined.begin(), Edit.Inlined.end(),
                       [&](StatementId Request) { return Impl->addInline(P, T, Request, Why); });
  if (Edit.OwnPolls)
    return Impl->movePolls(P, Edit, Why);
  if (Edit.What == Remedy::MemoryFence)
    return Impl->addMemoryFence(P, Edit, Why);
  return Impl->addWait(P, Edit, Why);
}

std::vector<unsigned> SourceEditor::rounds(const Program &P, const Violation &V) {
  // Loops that the compiler unrolls make many pairs of the same places.
  const std::string &Buffers = P.Objects[V.First.Location.Target].Name;
  std::string Key = Buffers + "\n";
  std::vector<const Place *> Places;
  for (StatementId S : {V.Second.Statement, V.First.Statement})
    for (const Place &At : P.Threads[V.First.Thread].Statements[S].Where.Chain) {
      Key += At.File + ":" + std::to_string(At.Line) + ":" + std::to_string(At.Column) + "\n";
      Places.push_back(&At);
    }
  auto [Known, New] = Impl->Rounds.try_emplace(Key);
  if (!New)
    return Known->second;
  source::Sizes Found;
  for (const Place *At : Places)
    if (auto *F = At->Line ? Impl->Files.find(At->File) : nullptr)
      Found.addFrom(*F->Tree, *At);
  return Known->second = Found.likeliest(Buffers, 3);
}

void SourceEditor::clear() {
  for (const auto &F : Impl->Files.all()) {
    F->Insertions.clear();
    F->Removed.clear();
    F->Added.clear();
  }
  Impl->CallsHeader = false;
  Impl->MovedUp = {};
}

bool SourceEditor::canAdd(const Program &P, const PlannedEdit &Edit, std::string &Why) {
  clear();
  Impl->Dry = true;
  bool Can = add(P, Edit, Why);
  Impl->Dry = false;
  return Can;
}

std::string SourceEditor::standsAt(const Program &P, const PlannedEdit &Edit) {
  clear();
  std::string Why, Where;
  if (add(P, Edit, Why))
    for (const auto &F : Impl->Files.all())
      for (const auto &[Begin, W] : F->Insertions)
        if (Where.empty() && W.Head.empty())
          Where = F->Name + (W.Before.empty() ? " behind " : " before ") + std::to_string(Begin);
  clear();
  return Where;
}

std::map<std::string, std::string> SourceEditor::result() const {
  for (const std::string &Name : Impl->Files.sources())
    Impl->Files.find(Name);
  std::map<std::string, std::string> Edited;
  for (const auto &F : Impl->Files.all()) {
    std::string Text = source::edited(*F, Impl->CallsHeader);
    if (Text != F->Contents)
      Edited[F->Name] = Text;
  }
  return Edited;
}

} // namespace rdma
