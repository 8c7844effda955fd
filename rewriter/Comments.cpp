#include "rewriter/Comments.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace rdma {
namespace {

/// A line in two, where its comment begins; a name in quotes holds none.
struct Line {
  explicit Line(std::string Text) : Code(std::move(Text)) {
    bool Quoted = false;
    for (std::size_t I = 0; I < Code.size(); ++I) {
      Quoted ^= Code[I] == '"';
      if (Quoted || Code.compare(I, 2, "//") != 0)
        continue;
      Comment = Code.substr(I);
      Code.resize(I);
      Comment.erase(Comment.find_last_not_of(" \t\r") + 1);
      break;
    }
  }
  std::string Code, Comment;
};

/// Its first statement, without what may be written in several ways: blanks, and the `;` that flags stand
/// before.
std::string keyOf(const std::string &Code) {
  std::string Key;
  for (char C : Code) {
    if (C == ';')
      break;
    if (!std::isspace(static_cast<unsigned char>(C)))
      Key += C;
    if (C == '{' || C == '}')
      break;
  }
  return Key;
}

std::vector<std::string> linesOf(const std::string &Text) {
  std::vector<std::string> Lines;
  std::istringstream In(Text);
  for (std::string L; std::getline(In, L);)
    Lines.push_back(L);
  return Lines;
}

struct Merger {
  explicit Merger(const std::string &Text) {
    for (const std::string &L : linesOf(Text)) {
      if (L.empty()) // blank lines are those of the old text
        continue;
      Lines.emplace_back(L);
      Above.emplace_back();
    }
    Above.emplace_back();
  }

  void take(const Line &L) {
    std::string Key = keyOf(L.Code);
    if (Key.empty()) {
      Waiting.push_back(L.Comment); // empty: a blank line
      return;
    }
    std::size_t At = Next;
    while (At < Lines.size() && !keyOf(Lines[At].Code).starts_with(Key))
      ++At;
    // One that is not found leaves its comments to the next.
    if (At == Lines.size()) {
      if (!L.Comment.empty())
        Waiting.push_back(L.Comment);
      return;
    }
    settle(At);
    if (!L.Comment.empty())
      Lines[At].Comment += (Lines[At].Comment.empty() ? "" : " ") + L.Comment;
    Next = At + 1;
  }

  void settle(std::size_t At) {
    Above[At].insert(Above[At].end(), Waiting.begin(), Waiting.end());
    Waiting.clear();
  }

  std::string text() {
    settle(Lines.size());
    std::string Out;
    for (std::size_t I = 0; I <= Lines.size(); ++I) {
      std::string Code = I < Lines.size() ? Lines[I].Code : "";
      std::string Indent = Code.substr(0, Code.find_first_not_of(" \t"));
      for (const std::string &C : Above[I])
        if (!C.empty())
          Out += (Code.empty() ? "" : Indent) + C + "\n";
        else
          Out += "\n";
      if (I == Lines.size())
        break;
      Code.erase(Code.find_last_not_of(" \t") + 1);
      Out += Code + (Lines[I].Comment.empty() || Code.empty() ? "" : " ") + Lines[I].Comment + "\n";
    }
    return Out;
  }

  std::vector<Line> Lines;
  std::vector<std::vector<std::string>> Above;
  std::vector<std::string> Waiting;
  std::size_t Next = 0;
};

} // namespace

std::string withCommentsOf(const std::string &Old, const std::string &Text) {
  Merger M(Text);
  for (const std::string &L : linesOf(Old))
    M.take(Line(L));
  return M.text();
}

} // namespace rdma
