#include "ir/LitmusLexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace rdma::litmus {
namespace {

constexpr std::array<std::string_view, 23> Symbols = {":=", "<-", "->", "==", "!=", "&&", "||", "{",
                                                      "}",  "(",  ")",  "[",  "]",  ";",  ",",  "+",
                                                      "-",  "#",  "@",  "=",  "<",  ">",  ":"};

bool startsName(char C) { return std::isalpha(static_cast<unsigned char>(C)) || C == '_'; }
bool continuesName(char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; }
bool isDigit(char C) { return std::isdigit(static_cast<unsigned char>(C)); }

class Lexer {
public:
  Lexer(std::string_view Text, const std::string &File) : Text(Text), File(File) {}

  std::vector<Token> run() {
    std::vector<Token> Result;
    do {
      skipBlanks();
      Result.push_back(next());
    } while (Result.back().What != Token::Kind::End);
    return Result;
  }

private:
  [[noreturn]] void fail(const std::string &Message) const {
    throw InputError({File, Line, Column, {}}, Message);
  }

  void advance(std::size_t Count) {
    for (; Count && Position < Text.size(); --Count, ++Position) {
      bool NewLine = Text[Position] == '\n';
      Line += NewLine;
      Column = NewLine ? 1 : Column + 1;
    }
  }

  void skipBlanks() {
    while (Position < Text.size()) {
      if (std::isspace(static_cast<unsigned char>(Text[Position])))
        advance(1);
      else if (Text.substr(Position, 2) == "//")
        advance(Text.substr(Position).find('\n'));
      else
        return;
    }
  }

  template <typename Predicate> std::size_t lengthWhile(Predicate Fits) const {
    auto Rest = Text.substr(Position);
    return std::find_if_not(Rest.begin(), Rest.end(), Fits) - Rest.begin();
  }

  Token take(Token::Kind What, std::size_t Length) {
    Token T{What, std::string(Text.substr(Position, Length)), 0, Line, Column};
    if (What == Token::Kind::Number) {
      auto [End, Error] = std::from_chars(T.Text.data(), T.Text.data() + T.Text.size(), T.Value);
      if (Error != std::errc())
        fail("number '" + T.Text + "' is too large");
    }
    advance(Length);
    return T;
  }

  Token takeString() {
    std::size_t Length = Text.substr(Position + 1).find_first_of("\"\n");
    if (Length == std::string_view::npos || Text[Position + 1 + Length] == '\n')
      fail("string without closing quote");
    Token T = take(Token::Kind::String, Length + 2);
    T.Text = T.Text.substr(1, Length);
    return T;
  }

  Token next() {
    if (Position >= Text.size())
      return {Token::Kind::End, "end of file", 0, Line, Column};
    char C = Text[Position];
    if (startsName(C))
      return take(Token::Kind::Name, lengthWhile(continuesName));
    if (isDigit(C))
      return take(Token::Kind::Number, lengthWhile(isDigit));
    if (C == '"')
      return takeString();
    for (std::string_view Symbol : Symbols)
      if (Text.substr(Position, Symbol.size()) == Symbol)
        return take(Token::Kind::Symbol, Symbol.size());
    fail(std::string("unexpected character '") + C + "'");
  }

  std::string_view Text;
  const std::string &File;
  std::size_t Position = 0;
  unsigned Line = 1, Column = 1;
};

} // namespace

std::vector<Token> tokenize(std::string_view Text, const std::string &File) {
  return Lexer(Text, File).run();
}

} // namespace rdma::litmus
