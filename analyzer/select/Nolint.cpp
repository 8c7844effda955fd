#include "analyzer/select/Nolint.h"
#include "analyzer/report/Checks.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace rdma {
namespace {

constexpr unsigned LineEnd = std::numeric_limits<unsigned>::max();
enum class Form { Line, NextLine, Begin, End };

struct Token {
  Form Which;
  Place At;
  std::string Spelling, List;
  bool HasList = false;
};

bool isLetter(char C) { return std::isalpha(static_cast<unsigned char>(C)); }

std::optional<Form> formOf(std::string_view Suffix) {
  if (Suffix.empty())
    return Form::Line;
  if (Suffix == "NEXTLINE")
    return Form::NextLine;
  if (Suffix == "BEGIN")
    return Form::Begin;
  return Suffix == "END" ? std::optional(Form::End) : std::nullopt;
}

/// The tokens of a line, from left to right.
void scan(const std::string &File, unsigned Number, const std::string &Line, std::vector<Token> &Tokens) {
  constexpr std::string_view Word = "NOLINT";
  for (std::size_t At = 0; (At = Line.find(Word, At)) != Line.npos;) {
    std::size_t End = At + Word.size();
    while (End < Line.size() && isLetter(Line[End]))
      ++End;
    std::optional<Form> Which =
        formOf(std::string_view(Line).substr(At + Word.size(), End - At - Word.size()));
    Token T{Which.value_or(Form::Line), {File, Number, static_cast<unsigned>(At + 1), ""}, {}, {}};
    if (std::size_t Close = Line.find(')', End);
        End < Line.size() && Line[End] == '(' && Close != Line.npos) {
      T.HasList = true;
      T.List = Line.substr(End + 1, Close - End - 1);
      End = Close + 1;
    }
    T.Spelling = Line.substr(At, End - At);
    if (Which)
      Tokens.push_back(std::move(T));
    At = End;
  }
}

std::optional<std::vector<std::string>> globs(const Token &T) {
  if (!T.HasList)
    return std::nullopt;
  std::vector<std::string> Globs(1);
  for (char C : T.List)
    if (C == ',')
      Globs.emplace_back();
    else if (!std::isspace(static_cast<unsigned char>(C)))
      Globs.back() += C;
  std::erase_if(Globs, [](const std::string &Glob) { return Glob.empty() || Glob.front() == '-'; });
  return Globs;
}

Nolint covering(const Token &T, std::pair<unsigned, unsigned> From, std::pair<unsigned, unsigned> To) {
  return {T.At, T.Spelling, globs(T), From, To};
}

} // namespace

bool Nolint::covers(const std::string &Check) const {
  return !Checks || std::any_of(Checks->begin(), Checks->end(),
                                [&](const std::string &Glob) { return matchesGlob(Check, Glob); });
}

bool Nolint::namesOurs() const {
  return Checks && !Checks->empty() &&
         std::all_of(Checks->begin(), Checks->end(), [](auto &Glob) { return Glob.starts_with("rdma-"); });
}

Nolints findNolints(const std::string &File, const std::vector<std::string> &Lines) {
  std::vector<Token> Tokens, Open;
  for (unsigned Line = 1; Line <= Lines.size(); ++Line)
    scan(File, Line, Lines[Line - 1], Tokens);
  Nolints Found;
  for (const Token &T : Tokens) {
    std::pair Here{T.At.Line, T.At.Column};
    if (T.Which == Form::Line) {
      Found.All.push_back(covering(T, {T.At.Line, 0}, {T.At.Line, LineEnd}));
    } else if (T.Which == Form::NextLine) {
      Found.All.push_back(covering(T, {T.At.Line + 1, 0}, {T.At.Line + 1, LineEnd}));
    } else if (T.Which == Form::Begin) {
      Open.push_back(T);
    } else if (!Open.empty() && globs(Open.back()) == globs(T)) {
      const Token &Begin = Open.back();
      Found.All.push_back(covering(Begin, {Begin.At.Line, Begin.At.Column}, Here));
      Open.pop_back();
    } else {
      Found.Unmatched.push_back({covering(T, Here, Here), false});
    }
  }
  for (const Token &T : Open)
    Found.Unmatched.push_back({covering(T, {}, {}), true});
  std::sort(Found.Unmatched.begin(), Found.Unmatched.end(), [](const auto &A, const auto &B) {
    return std::pair(A.What.At.Line, A.What.At.Column) < std::pair(B.What.At.Line, B.What.At.Column);
  });
  return Found;
}

} // namespace rdma
