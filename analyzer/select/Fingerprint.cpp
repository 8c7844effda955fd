#include "analyzer/select/Fingerprint.h"

#include <cstdio>
#include <regex>

namespace rdma {
namespace {

/// FNV-1a, 64 bits.
class Digest {
public:
  void add(const std::string &Text) {
    for (unsigned char Byte : Text)
      mix(Byte);
    mix(0xff); // no byte of UTF-8: "ab","c" is not "a","bc"
  }
  std::string text() const {
    char Digits[17];
    std::snprintf(Digits, sizeof Digits, "%016llx", static_cast<unsigned long long>(Value));
    return Digits;
  }

private:
  void mix(unsigned char Byte) { Value = (Value ^ Byte) * 0x100000001b3; }
  std::uint64_t Value = 0xcbf29ce484222325;
};

/// Names such as "allocation at line 12", "and 3 more" and counts at the end move with the code around them.
std::string withoutNumbers(const std::string &Text) {
  static const std::regex Moving("(line |:|: |and )[0-9]+");
  return std::regex_replace(Text, Moving, "$1");
}

std::string withoutSpaces(std::string Line) {
  if (std::size_t Comment = Line.find("//"); Comment != Line.npos)
    Line.erase(Comment);
  std::erase_if(Line, [](unsigned char Byte) { return std::isspace(Byte); });
  return Line;
}

void addPlace(Digest &D, const Place &At, SourceLines &Sources) {
  D.add(At.Function);
  const std::string *Line = Sources.line(At);
  D.add(Line ? withoutSpaces(*Line) : "");
}

} // namespace

std::string fingerprint(const Finding &F, SourceLines &Sources) {
  Digest D;
  D.add(F.Check);
  D.add(withoutNumbers(F.Main.Text));
  addPlace(D, F.Main.At, Sources);
  // The pair that a remark shows is one of many, and any of them.
  if (!F.Notes.empty() && !F.Pairs) {
    D.add(withoutNumbers(F.Notes.front().Text));
    addPlace(D, F.Notes.front().At, Sources);
  }
  return D.text();
}

} // namespace rdma
