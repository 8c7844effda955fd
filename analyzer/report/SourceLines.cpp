#include "analyzer/report/SourceLines.h"

#include <fstream>
#include <sstream>

namespace rdma {

const std::string *SourceLines::line(const Place &At) {
  auto [Entry, New] = Files.try_emplace(At.File);
  if (New)
    Entry->second = read(At.File);
  return At.Line >= 1 && At.Line <= Entry->second.size() ? &Entry->second[At.Line - 1] : nullptr;
}

std::vector<std::string> SourceLines::read(const std::string &File) const {
  std::stringstream Text;
  if (auto Found = Overlay.find(File); Found != Overlay.end())
    Text << Found->second;
  else if (std::ifstream In(File); In)
    Text << In.rdbuf();
  std::vector<std::string> Lines;
  for (std::string Line; std::getline(Text, Line);)
    Lines.push_back(Line);
  return Lines;
}

} // namespace rdma
