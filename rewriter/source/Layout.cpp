#include "rewriter/source/Layout.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <optional>

namespace rdma::source {
namespace {

using llvm::StringRef;

/// How a file lays out its blocks.
struct Style {
  std::string Unit = "  "; ///< of indentation
  bool OwnLine = false;    ///< a block's brace stands on a line of its own
  bool Indented = false;   ///< and further in than what it belongs to, as GNU has it
  bool Spaced = false;     ///< so that a call's parentheses stand apart from its name
};

StringRef indentOf(StringRef Line) {
  return Line.take_while([](char C) { return C == ' ' || C == '\t'; });
}

bool isDirective(StringRef Line) { return Line.ltrim(" \t").starts_with("#"); }

bool isComment(StringRef Line) {
  return Line.starts_with("//") || (Line.starts_with("/*") && Line.find("*/") == Line.size() - 2);
}

bool isWordPart(char C) { return llvm::isAlnum(C) || C == '_'; }

/// Do most of the words that are followed by parentheses stand apart from them?
bool isSpaced(StringRef Contents) {
  static constexpr StringRef Heads[] = {"if",     "for",   "while",  "switch",
                                        "return", "catch", "sizeof", "define"};
  int Apart = 0;
  for (std::size_t At = 0; (At = Contents.find('(', At)) != StringRef::npos; ++At) {
    StringRef Before = Contents.take_front(At);
    const bool Space = Before.consume_back(" ");
    StringRef Word = Before.take_back(
        Before.size() - 1 -
        Before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
    if (!Word.empty() && !llvm::is_contained(Heads, Word))
      Apart += Space ? 1 : -1;
  }
  return Apart > 0;
}

/// As most of the blocks in its functions are.
Style styleOf(StringRef Contents) {
  std::map<std::string, unsigned> Units;
  unsigned OwnLines = 0, SameLines = 0, Deeper = 0;
  StringRef Last;
  for (StringRef Rest = Contents; !Rest.empty();) {
    auto [Line, Next] = Rest.split('\n');
    Rest = Next;
    StringRef Words = Line.trim();
    if (Words.empty())
      continue;
    StringRef Indent = indentOf(Line);
    const bool OfFunction = Indent.empty();
    if (Words == "{" && !OfFunction &&
        (Last.trim().ends_with(")") || Last.trim() == "else" || Last.trim() == "do")) {
      ++OwnLines;
      Deeper += Indent.size() > indentOf(Last).size();
    }
    SameLines += !OfFunction && (Words.ends_with(") {") || Words.ends_with("else {") || Words == "do {");
    if (Last.trim().ends_with("{") && Indent.size() > indentOf(Last).size() &&
        Indent.starts_with(indentOf(Last)))
      ++Units[Indent.drop_front(indentOf(Last).size()).str()];
    Last = Line;
  }
  Style Found;
  unsigned Most = 0;
  for (const auto &[Unit, Count] : Units)
    if (Count > Most) {
      Most = Count;
      Found.Unit = Unit;
    }
  Found.Spaced = isSpaced(Contents);
  Found.OwnLine = OwnLines > SameLines;
  Found.Indented = Found.OwnLine && 2 * Deeper > OwnLines;
  return Found;
}

class Writer {
public:
  explicit Writer(StringRef Contents) : Contents(Contents), Of(styleOf(Contents)) {}

  void write(unsigned Begin, const Wrapping &W) {
    if (!W.NeedsBraces)
      return plain(Begin, W);
    std::optional<unsigned> Head = endOfHead(Begin);
    const bool OwnLine = Head && Of.OwnLine;
    const std::string Outer = (Head ? indentAt(*Head) : W.Indent) + (OwnLine && Of.Indented ? Of.Unit : "");
    const std::string Inner = OwnLine && Of.Indented ? Outer + Of.Unit : Head ? W.Indent : W.Indent + Of.Unit;
    const unsigned End = behindComment(W.End);
    const std::string Shift = StringRef(Inner).starts_with(W.Indent) ? Inner.substr(W.Indent.size()) : "";
    moveIn(Begin, End, Shift);
    if (Head)
      Heads[*Head] = OwnLine ? "\n" + Outer + "{" : " {";
    std::string &Before = Heads[Begin];
    Before = (Head ? Shift : "{\n" + Inner) + Before;
    for (const std::string &Text : W.Before)
      Before += spelled(Text) + "\n" + Inner;
    Before += W.Head;
    for (const std::string &Text : W.After)
      Texts[End] += "\n" + Inner + spelled(Text);
    std::optional<unsigned> Next = OwnLine ? std::nullopt : continued(Begin, End, Outer);
    if (Next)
      Heads[*Next] = "} " + Heads[*Next];
    else
      Texts[End] += "\n" + Outer + "}";
  }

  /// At one offset what ends there comes first.
  std::map<unsigned, std::string> take() {
    for (const auto &[At, Text] : Heads)
      Texts[At] += Text;
    return std::move(Texts);
  }

private:
  /// A call as the file writes calls.
  std::string spelled(std::string Text) const {
    const std::size_t Name = StringRef(Text).take_while(isWordPart).size();
    if (Of.Spaced && Name && StringRef(Text).substr(Name).starts_with("("))
      Text.insert(Name, " ");
    return Text;
  }

  /// The lines of a statement behind its first, and what was put there.
  void moveIn(unsigned Begin, unsigned End, const std::string &Shift) {
    if (Shift.empty() || Contents.slice(Begin, End).contains("R\""))
      return;
    auto Move = [&](std::string &Text) {
      for (std::size_t At = 0; (At = Text.find('\n', At)) != std::string::npos; At += 1 + Shift.size())
        Text.insert(At + 1, Shift);
    };
    for (std::map<unsigned, std::string> *In : {&Heads, &Texts})
      for (auto At = In->upper_bound(Begin); At != In->end() && At->first < End + (In == &Texts); ++At)
        Move(At->second);
    for (std::size_t At = Begin; (At = Contents.find('\n', At)) < End; ++At) {
      StringRef Line = Contents.substr(At + 1).ltrim(" \t");
      if (!Line.starts_with("#") && !Line.starts_with("\n") && !Line.starts_with("\r"))
        Heads[At + 1] = Shift + Heads[At + 1];
    }
  }

  void plain(unsigned Begin, const Wrapping &W) {
    bool StartsLine = Contents.take_front(Begin).rtrim(" \t").ends_with("\n") || Begin == 0;
    const unsigned Pragma = StartsLine ? aheadOfPragma(Begin) : Begin;
    for (const std::string &Text : W.Before)
      Heads[Pragma] += Pragma != Begin ? W.Indent + spelled(Text) + "\n"
                                       : spelled(Text) + (StartsLine ? "\n" + W.Indent : " ");
    Heads[Begin] += W.Head;
    unsigned End = behindComment(W.End);
    bool EndsLine = End != W.End || Contents.substr(End).ltrim(" \t\r").starts_with("\n") ||
                    Contents.substr(End).trim().empty();
    for (const std::string &Text : W.After)
      Texts[End] += (EndsLine ? "\n" + W.Indent : " ") + spelled(Text);
  }

  /// A pragma on the line above may be about the loop that begins there: the beginning of its line.
  unsigned aheadOfPragma(unsigned Begin) const {
    StringRef Above = Contents.take_front(Begin).rtrim(" \t");
    std::size_t At = Above.drop_back(!Above.empty()).rfind('\n') + 1;
    StringRef Line = Above.substr(At).ltrim(" \t");
    bool IsPragma = Line.consume_front("#") && Line.ltrim(" \t").starts_with("pragma");
    return IsPragma ? aheadOfPragma(At) : Begin;
  }

  /// Where `)`, `else` or `do` ends, when the statement stands on a line behind it.
  std::optional<unsigned> endOfHead(unsigned Begin) const {
    StringRef Head = Contents.take_front(Begin).rtrim();
    StringRef Line = Head.substr(Head.rfind('\n') + 1);
    bool IsHead = Head.ends_with(")") || Head.ends_with("else") || Head.ends_with("do");
    if (!IsHead || Line.contains("//") || isDirective(Line) ||
        !Contents.slice(Head.size(), Begin).contains('\n'))
      return std::nullopt;
    return Head.size();
  }

  /// Where on the next line the `else` begins that follows, or the `while` of the `do`, as far in as Outer.
  std::optional<unsigned> continued(unsigned Begin, unsigned End, StringRef Outer) const {
    StringRef Next = Contents.substr(End);
    Next.consume_front("\r");
    if (!Next.consume_front("\n") || !Next.consume_front(Outer))
      return std::nullopt;
    StringRef Head = Contents.take_front(Begin).rtrim();
    const bool IsDo = Head.consume_back("do") && (Head.empty() || !isWordPart(Head.back()));
    auto StartsWith = [&](StringRef Word) {
      return Next.starts_with(Word) && !isWordPart(Next.substr(Word.size()).take_front().str()[0]);
    };
    return StartsWith("else") || (IsDo && StartsWith("while")) ? std::optional(Contents.size() - Next.size())
                                                               : std::nullopt;
  }

  std::string indentAt(unsigned At) const {
    return indentOf(Contents.substr(Contents.take_front(At).rfind('\n') + 1)).str();
  }

  /// A comment that fills the rest of the line belongs to what stands before it.
  unsigned behindComment(unsigned End) const {
    StringRef Rest = Contents.substr(End).take_until([](char C) { return C == '\n'; }).rtrim("\r \t");
    return isComment(Rest.ltrim(" \t")) ? End + Rest.size() : End;
  }

  StringRef Contents;
  const Style Of;
  std::map<unsigned, std::string> Heads, Texts;
};

} // namespace

std::map<unsigned, std::string> laidOut(const std::string &Contents,
                                        const std::map<unsigned, Wrapping> &Around) {
  Writer Out(Contents);
  // The innermost first: what ends at one offset closes in that order.
  for (auto It = Around.rbegin(); It != Around.rend(); ++It)
    Out.write(It->first, It->second);
  return Out.take();
}

bool mayHaveHead(const std::string &Contents, unsigned Begin) {
  StringRef Above = StringRef(Contents).take_front(Begin);
  bool Directive = false;
  for (Above = Above.rtrim(); !Above.empty(); Above = Above.rtrim()) {
    StringRef Line = Above.substr(Above.rfind('\n') + 1).trim();
    if (!isDirective(Line) && !isComment(Line))
      return Directive && (Line.ends_with("else") || Line.ends_with(")") || Line.ends_with("do"));
    Directive |= isDirective(Line);
    Above = Above.take_front(Above.rfind('\n') + 1);
  }
  return false;
}

bool mayGoOn(const std::string &Contents, unsigned End) {
  bool Directive = false;
  for (StringRef Below = StringRef(Contents).substr(End).ltrim(); !Below.empty(); Below = Below.ltrim()) {
    StringRef Line = Below.take_until([](char C) { return C == '\n'; });
    if (!isDirective(Line) && !isComment(Line.trim()))
      return Directive && Line.ltrim("} \t").starts_with("else");
    Directive |= isDirective(Line);
    Below = Below.drop_front(Line.size());
  }
  return false;
}

std::string withLineEndsOf(const std::string &Contents, std::string Text) {
  if (Contents.find("\r\n") == std::string::npos)
    return Text;
  for (std::size_t At = 0; (At = Text.find('\n', At)) != std::string::npos; At += 2)
    Text.insert(At, 1, '\r');
  return Text;
}

} // namespace rdma::source
