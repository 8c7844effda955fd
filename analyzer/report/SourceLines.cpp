#include "analyzer/report/SourceLines.h"

#include <fstream>
#include <sstream>

namespace rdma {

const std::vector<std::string> &SourceLines::lines(const std::string &File) {
  auto [Entry, New] = Files.try_emplace(File);
  if (New)
    Entry->second = read(File);
  return Entry->second;
}

const std::string *SourceLines::line(const Place &At) {
  const std::vector<std::string> &All = lines(At.File);
  return At.Line >= 1 && At.Line <= All.size() ? &All[At.Line - 1] : nullptr;
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
