#include "rewriter/source/Layout.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <optional>

namespace rdma::source {
namespace {

using llvm::StringRef;

class Writer {
public:
  explicit Writer(StringRef Contents) : Contents(Contents) {}

  void write(unsigned Begin, const Wrapping &W) {
    if (!W.NeedsBraces)
      return plain(Begin, W);
    std::optional<unsigned> Head = endOfHead(Begin);
    std::string Outer = Head ? indentAt(*Head) : W.Indent, Inner = Head ? W.Indent : W.Indent + "  ";
    if (Head)
      Heads[*Head] = " {";
    std::string &Before = Heads[Begin] = Head ? "" : "{\n" + Inner;
    for (const std::string &Text : W.Before)
      Before += Text + "\n" + Inner;
    Before += W.Head;
    unsigned End = behindComment(W.End);
    for (const std::string &Text : W.After)
      Texts[End] += "\n" + Inner + Text;
    if (std::optional<unsigned> Next = continued(Begin, End, Outer))
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
  void plain(unsigned Begin, const Wrapping &W) {
    bool StartsLine = Contents.take_front(Begin).rtrim(" \t").ends_with("\n") || Begin == 0;
    for (const std::string &Text : W.Before)
      Heads[Begin] += Text + (StartsLine ? "\n" + W.Indent : " ");
    Heads[Begin] += W.Head;
    unsigned End = behindComment(W.End);
    bool EndsLine = End != W.End || Contents.substr(End).ltrim(" \t\r").starts_with("\n") ||
                    Contents.substr(End).trim().empty();
    for (const std::string &Text : W.After)
      Texts[End] += (EndsLine ? "\n" + W.Indent : " ") + Text;
  }

  /// Where `)`, `else` or `do` ends, when the statement stands on a line behind it.
  std::optional<unsigned> endOfHead(unsigned Begin) const {
    StringRef Head = Contents.take_front(Begin).rtrim();
    StringRef Line = Head.substr(Head.rfind('\n') + 1);
    bool IsHead = Head.ends_with(")") || Head.ends_with("else") || Head.ends_with("do");
    if (!IsHead || Line.contains("//") || !Contents.slice(Head.size(), Begin).contains('\n'))
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
    const bool IsDo = Head.consume_back("do") && (Head.empty() || !isIdentifierPart(Head.back()));
    auto StartsWith = [&](StringRef Word) {
      return Next.starts_with(Word) && !isIdentifierPart(Next.substr(Word.size()).take_front().str()[0]);
    };
    return StartsWith("else") || (IsDo && StartsWith("while")) ? std::optional(Contents.size() - Next.size())
                                                               : std::nullopt;
  }

  static bool isIdentifierPart(char C) { return llvm::isAlnum(C) || C == '_'; }

  std::string indentAt(unsigned At) const {
    StringRef Line = Contents.substr(Contents.take_front(At).rfind('\n') + 1);
    return Line.take_while([](char C) { return C == ' ' || C == '\t'; }).str();
  }

  /// A comment that fills the rest of the line belongs to what stands before it.
  unsigned behindComment(unsigned End) const {
    StringRef Rest = Contents.substr(End).take_until([](char C) { return C == '\n'; }).rtrim("\r \t");
    StringRef Comment = Rest.ltrim(" \t");
    bool Fills =
        Comment.starts_with("//") || (Comment.starts_with("/*") && Comment.find("*/") == Comment.size() - 2);
    return Fills ? End + Rest.size() : End;
  }

  StringRef Contents;
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

std::string withLineEndsOf(const std::string &Contents, std::string Text) {
  if (Contents.find("\r\n") == std::string::npos)
    return Text;
  for (std::size_t At = 0; (At = Text.find('\n', At)) != std::string::npos; At += 2)
    Text.insert(At, 1, '\r');
  return Text;
}

} // namespace rdma::source
