#include "Extracted.h"

#include <set>

namespace rdma::test {

ExtractionOptions optionsFor(const Sources &S) {
  ExtractionOptions O;
  O.Files = S.Files;
  O.HasFlags = true;
  O.ShareHeaders = true;
  O.Overlay = S.Texts;
  if (!S.Topology.empty()) {
    O.TopologyFile = "case.json";
    O.Overlay["case.json"] = S.Topology;
  }
  return O;
}

void compileHeaders(const Sources &S) {
  static std::set<std::string> Known;
  for (const std::string &File : S.Files) {
    const std::string &Text = S.Texts.at(File);
    std::size_t End = 0;
    while (Text.compare(End, 10, "#include <") == 0)
      End = Text.find('\n', End) + 1;
    if (!Known.insert(File + "\n" + Text.substr(0, End)).second)
      continue;
    ExtractionOptions O = optionsFor(S);
    O.Files = {File};
    O.TopologyFile.clear();
    O.Overlay = {{File, Text.substr(0, End) + "int main(void) { return 0; }\n"}};
    extract(O);
  }
}

} // namespace rdma::test
