#include "rewriter/source/Edits.h"

#include "rewriter/source/Includes.h"
#include "rewriter/source/Requests.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <optional>

namespace rdma::source {

using namespace clang;

/// Once more would change nothing.
static bool standsThere(llvm::StringRef Contents, unsigned Begin, unsigned End, const std::string &Text,
                        bool After) {
  return After ? Contents.substr(End).ltrim().starts_with(Text)
               : Contents.take_front(Begin).rtrim().ends_with(Text);
}

bool insert(EditedFile &F, const Slot &At, const std::string &Text, bool After, bool Dry) {
  auto [Begin, End] = F.Tree->extent(At.At);
  if (standsThere(F.Contents, Begin, End, Text, After))
    return false;
  const bool HasHead = !After && mayHaveHead(F.Contents, Begin);
  if ((HasHead && isa<DeclStmt>(At.At)) || (After && mayGoOn(F.Contents, End)))
    return false;
  if (Dry)
    return true;
  Wrapping &W = F.Insertions[Begin];
  W.End = End;
  W.NeedsBraces = At.NeedsBraces || HasHead;
  W.Indent = F.Tree->indentation(At.At);
  std::vector<std::string> &Texts = After ? W.After : W.Before;
  if (std::find(Texts.begin(), Texts.end(), Text) == Texts.end())
    Texts.push_back(Text);
  return true;
}

/// Nothing that the function knows, nor is itself, is called so.
static bool isFree(const EditedFile &F, const FunctionDecl &In, llvm::StringRef Name) {
  auto [From, To] = F.Tree->extent(In.getBody());
  if (!isNewName(llvm::StringRef(F.Contents).slice(From, To), Name))
    return false;
  const IdentifierInfo &Word = F.Tree->Context.Idents.get(Name);
  for (const DeclContext *Around = &In; Around; Around = Around->getLookupParent())
    if (!Around->getRedeclContext()->lookup(&Word).empty())
      return false;
  return true;
}

/// The first that is free, and nothing is called so by these edits.
static std::optional<std::string> freeName(const EditedFile &F, const FunctionDecl &In,
                                           llvm::ArrayRef<const char *> Names) {
  auto IsTaken = [&](llvm::StringRef Name) {
    return std::any_of(F.Insertions.begin(), F.Insertions.end(), [&](const auto &At) {
      return llvm::any_of(At.second.Before,
                          [&](llvm::StringRef Text) { return Text.contains(("*" + Name + " = ").str()); });
    });
  };
  auto Found = llvm::find_if(Names, [&](const char *Name) { return isFree(F, In, Name) && !IsTaken(Name); });
  return Found == Names.end() ? std::nullopt : std::optional<std::string>(*Found);
}

/// A declaration cannot follow a label, nor be jumped past to another one.
static bool isLabelled(const EditedFile &F, const Slot &At) {
  auto Around = F.Tree->Context.getParents(*At.At);
  const Stmt *Outer = Around.empty() ? nullptr : Around[0].get<Stmt>();
  if (isa_and_nonnull<LabelStmt, SwitchCase>(Outer))
    return true;
  auto Further = Outer ? F.Tree->Context.getParents(*Outer) : Around;
  return !Further.empty() && Further[0].get<SwitchStmt>();
}

bool addBehindReturn(EditedFile &F, const Slot &At, const std::string &Text, bool Dry) {
  const std::optional<std::string> Name = freeName(F, *At.Function, {"posted", "result", "returned"});
  const Expr *Value = cast<ReturnStmt>(At.At)->getRetValue();
  if (!Value || At.At->getBeginLoc().isMacroID() || Value->getBeginLoc().isMacroID())
    return false;
  QualType Of = At.Function->getReturnType();
  auto [Begin, End] = F.Tree->extent(At.At);
  // In a generic lambda it is another one each time.
  auto *Auto = dyn_cast<AutoType>(Of.getTypePtr());
  bool Deduced = Auto && !Auto->isDecltypeAuto() && (Auto->isDependentType() || !Auto->isDeduced());
  if (!(Of->isBuiltinType() || Of->isEnumeralType() || Deduced) || !Name || F.Removed.contains(Begin) ||
      !insert(F, {At.At, At.Function, At.NeedsBraces || isLabelled(F, At)}, Text, true, Dry))
    return false;
  if (Dry)
    return true;
  F.Removed[Begin] = F.Tree->offset(Value->getBeginLoc());
  Wrapping &W = F.Insertions[Begin];
  W.Head = Of.getUnqualifiedType().getAsString(F.Tree->Context.getPrintingPolicy()) + " " + *Name + " = ";
  W.After.push_back("return " + *Name + ";");
  return true;
}

std::optional<std::string> addKept(EditedFile &F, const Slot &At, const Expr &Given, bool Dry) {
  auto *Whole = dyn_cast<DeclRefExpr>(Given.IgnoreParenImpCasts());
  auto *V = Whole ? dyn_cast<VarDecl>(Whole->getDecl()) : nullptr;
  const bool IsKept = V && V->hasLocalStorage() && !V->getType()->isReferenceType();
  auto [Begin, End] = F.Tree->extent(&Given);
  std::optional<std::string> Name = freeName(F, *At.Function, {"pair", "pair2", "pair3"});
  if (IsKept || At.NeedsBraces || isLabelled(F, At) || !Name || Given.getBeginLoc().isMacroID() ||
      Given.getEndLoc().isMacroID() || F.Removed.contains(Begin))
    return std::nullopt;
  const std::string Type = F.Tree->Context.getLangOpts().CPlusPlus ? "ibv_qp *" : "struct ibv_qp *";
  const std::string Value = F.Contents.substr(Begin, End - Begin);
  if (!insert(F, At, Type + *Name + " = " + Value + ";", false, Dry))
    return std::nullopt;
  if (!Dry) {
    F.Removed[Begin] = End;
    F.Added[Begin] = *Name;
  }
  return Name;
}

bool addToFlags(EditedFile &F, const Expr *Flags, const std::string &Flag, bool Dry) {
  std::string Old = F.Tree->text(Flags->getSourceRange());
  unsigned Begin = F.Tree->offset(Flags->getBeginLoc()), End = Begin + Old.size();
  if (Old.find(Flag) != std::string::npos)
    return false;
  if (Dry)
    return true;
  std::string &Behind = F.Added[Old == "0" ? Begin : End];
  if (Behind.find(Flag) != std::string::npos)
    return true;
  if (Old == "0") {
    F.Removed[Begin] = End;
    Behind += (Behind.empty() ? "" : " | ") + Flag;
    return true;
  }
  bool Chosen = isa<AbstractConditionalOperator>(Flags->IgnoreImpCasts());
  if (Chosen)
    F.Added[Begin] = "(";
  Behind += (Chosen && Behind.empty() ? ") | " : " | ") + Flag;
  return true;
}

bool addFlagInLiteral(EditedFile &F, const CompoundLiteralExpr &Request, const std::string &Flag, bool Dry) {
  const Expr *Last = nullptr, *Flags = flagsOf(Request.getInitializer(), Last), *At = Flags ? Flags : Last;
  if (!At || At->getBeginLoc().isMacroID() || At->getEndLoc().isMacroID() ||
      !F.Tree->holds(At->getBeginLoc()))
    return false;
  if (Flags)
    return addToFlags(F, Flags, Flag, Dry);
  if (!Dry)
    F.Added[F.Tree->extent(Last).second] = ", .send_flags = " + Flag;
  return true;
}

/// `rdma_wait(a);` and `rdma_wait(b);` become `rdma_wait_all(2, a, b);` where the first of them stands.
static void joinWaits(std::vector<std::string> &Texts, llvm::StringRef Call) {
  const std::string Begin = (Call + "(").str();
  std::vector<std::string> Pairs;
  std::optional<std::size_t> First;
  for (std::size_t I = 0; I < Texts.size();) {
    llvm::StringRef Text = Texts[I];
    if (!Text.consume_front(Begin) || !Text.consume_back(");")) {
      ++I;
      continue;
    }
    Pairs.push_back(Text.str());
    if (First)
      Texts.erase(Texts.begin() + I);
    else
      First = I++;
  }
  if (Pairs.size() > 1)
    Texts[*First] =
        (Call + "_all(" + llvm::Twine(Pairs.size()) + ", " + llvm::join(Pairs, ", ") + ");").str();
}

std::string edited(const EditedFile &F, bool CallsHeader) {
  std::map<unsigned, Wrapping> Insertions = F.Insertions;
  for (auto &[At, W] : Insertions)
    for (std::vector<std::string> *Texts : {&W.Before, &W.After})
      for (llvm::StringRef Call : {"rdma_wait", "rdma_flush"})
        joinWaits(*Texts, Call);
  std::map<unsigned, std::string> Texts = laidOut(F.Contents, Insertions);
  // Of lines that go nothing is laid out.
  for (auto [Begin, End] : F.Removed)
    Texts.erase(Texts.upper_bound(Begin), Texts.lower_bound(End));
  Texts.insert(F.Added.begin(), F.Added.end());
  if (CallsHeader)
    if (auto At = placeOfHeader(*F.Tree, F.Contents, F.IsSource, !Texts.empty()))
      Texts[*At] = "#include <rdma/order.h>\n" + Texts[*At];
  std::string Text = F.Contents;
  auto Gone = F.Removed.rbegin();
  for (auto At = Texts.rbegin(); At != Texts.rend(); ++At) {
    for (; Gone != F.Removed.rend() && Gone->first >= At->first; ++Gone)
      Text.erase(Gone->first, Gone->second - Gone->first);
    Text.insert(At->first, withLineEndsOf(F.Contents, At->second));
  }
  return Text;
}

} // namespace rdma::source
