#include "analyzer/clang/program/Paths.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace rdma::clang_ir {
namespace {

void replaceAll(std::string &Text, const std::string &From, const std::string &To) {
  for (std::size_t At = 0; (At = Text.find(From, At)) != std::string::npos; At += To.size())
    Text.replace(At, From.size(), To);
}

/// `(*p).a` is p->a, and p->a is written p.a here.
void dropDereferences(std::string &Text) {
  for (std::size_t At; (At = Text.find("(*")) != std::string::npos;) {
    std::size_t End = At;
    for (int Open = 0; End < Text.size(); ++End) {
      Open += Text[End] == '(' ? 1 : Text[End] == ')' ? -1 : 0;
      if (!Open)
        break;
    }
    if (End == Text.size())
      return;
    Text.erase(End, 1);
    Text.erase(At, 2);
  }
  Text.erase(0, Text.find_first_not_of("&*"));
}

/// An index that is not a number may be any.
void openIndices(std::string &Text) {
  for (std::size_t At = 0; (At = Text.find('[', At)) != std::string::npos; ++At) {
    std::size_t End = At;
    for (int Open = 0; End < Text.size(); ++End) {
      Open += Text[End] == '[' ? 1 : Text[End] == ']' ? -1 : 0;
      if (!Open)
        break;
    }
    std::string Index = Text.substr(At + 1, End - At - 1);
    if (End < Text.size() &&
        !std::all_of(Index.begin(), Index.end(), [](unsigned char C) { return std::isdigit(C); }))
      Text.replace(At + 1, Index.size(), "*");
  }
}

/// `*p.q` is `p.q[0]`, and `**p` is `p[0][0]`.
std::string asElement(const std::string &Path) {
  const std::size_t Stars = std::min(Path.find_first_not_of("* "), Path.size());
  std::string Text = Path.substr(Stars);
  for (std::size_t I = 0; I < Stars; ++I)
    if (Path[I] == '*')
      Text += "[0]";
  return Text;
}

/// What stands in brackets, in order; plain paths nest none.
std::vector<std::string> indices(const std::string &Plain) {
  std::vector<std::string> All;
  for (std::size_t At = 0; (At = Plain.find('[', At)) != std::string::npos; ++At)
    All.push_back(Plain.substr(At + 1, Plain.find(']', At) - At - 1));
  return All;
}

} // namespace

std::string plainPath(const std::string &Path) {
  std::string Text = Path;
  // The names of types, which may hold spaces, are no part of paths.
  std::erase_if(Text, [](unsigned char C) { return std::isspace(C); });
  replaceAll(Text, ".get()", "");
  replaceAll(Text, "->get()", "");
  dropDereferences(Text);
  openIndices(Text);
  replaceAll(Text, "->", ".");
  return Text;
}

namespace {

bool plainMatches(const std::string &Pattern, const std::string &Path) {
  std::size_t I = 0, J = 0;
  while (I < Pattern.size() && J < Path.size()) {
    if (Pattern[I] == '[' && Path[J] == '[') {
      std::size_t EndI = Pattern.find(']', I), EndJ = Path.find(']', J);
      if (EndI == std::string::npos || EndJ == std::string::npos)
        return false;
      std::string A = Pattern.substr(I, EndI - I), B = Path.substr(J, EndJ - J);
      if (A != B && A != "[*" && B != "[*")
        return false;
      I = EndI, J = EndJ;
    }
    if (Pattern[I++] != Path[J++])
      return false;
  }
  return I == Pattern.size() && J == Path.size();
}

} // namespace

bool pathMatches(const std::string &Pattern, const std::string &Path) {
  return Pattern == Path || plainMatches(plainPath(Pattern), plainPath(Path)) ||
         plainMatches(plainPath(asElement(Pattern)), plainPath(asElement(Path)));
}

bool isOpen(const std::string &Path) { return plainPath(Path).find("[*]") != std::string::npos; }

std::string withIndicesOf(const std::string &Path, const std::string &Pattern, const std::string &Other) {
  if (!isOpen(Other))
    return Other;
  const std::vector<std::string> In = indices(plainPath(asElement(Path))),
                                 Open = indices(plainPath(asElement(Pattern)));
  std::string Text = plainPath(Other);
  std::size_t At = 0;
  for (std::size_t I = 0; I < Open.size() && I < In.size(); ++I)
    if (Open[I] == "*" && (At = Text.find("[*]", At)) != std::string::npos) {
      Text.replace(At + 1, 1, In[I]);
      At += In[I].size() + 2;
    }
  return Text;
}

} // namespace rdma::clang_ir
