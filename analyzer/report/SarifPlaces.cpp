#include "analyzer/report/SarifPlaces.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace rdma {

using nlohmann::json;

static std::string percentEncoded(const std::string &Path) {
  constexpr const char *Digits = "0123456789ABCDEF";
  std::string Uri;
  for (unsigned char Byte : Path)
    if ((Byte < 0x80 && std::isalnum(Byte)) || std::string_view("/-._~").find(Byte) != std::string_view::npos)
      Uri += static_cast<char>(Byte);
    else
      Uri += {'%', Digits[Byte >> 4], Digits[Byte & 15]};
  return Uri;
}

std::string uriOf(const std::string &File) {
  std::filesystem::path Path = std::filesystem::path(File).lexically_normal();
  return Path.is_absolute() ? "file://" + percentEncoded(Path.string()) : percentEncoded(Path.string());
}

static bool isWord(unsigned char C) { return std::isalnum(C) || C == '_' || C >= 0x80; }

/// The byte behind the identifier or number that begins at From, or behind one character.
static std::size_t endOfWord(const std::string &Line, std::size_t From) {
  std::size_t End = From;
  while (End < Line.size() && isWord(Line[End]))
    ++End;
  return std::max(End, From + 1);
}

/// Clang counts bytes, SARIF here counts code points; both from 1.
static unsigned codePoints(const std::string &Line, std::size_t Bytes) {
  std::size_t Known = std::min(Bytes, Line.size());
  return std::count_if(Line.begin(), Line.begin() + Known, [](char C) { return (C & 0xC0) != 0x80; }) +
         (Bytes - Known);
}

json physicalLocation(const Place &At, SourceLines &Sources) {
  json Artifact = {{"uri", uriOf(At.File)}};
  if (!std::filesystem::path(At.File).is_absolute())
    Artifact["uriBaseId"] = "%SRCROOT%";
  json Where = {{"artifactLocation", Artifact}};
  if (!At.Line)
    return Where;
  json Region = {{"startLine", At.Line}};
  if (const std::string *Line = Sources.line(At); Line && At.Column) {
    Region["startColumn"] = codePoints(*Line, At.Column - 1) + 1;
    Region["endColumn"] = codePoints(*Line, endOfWord(*Line, At.Column - 1)) + 1;
  } else if (At.Column) {
    Region["startColumn"] = At.Column;
  }
  Where["region"] = Region;
  return Where;
}

} // namespace rdma
