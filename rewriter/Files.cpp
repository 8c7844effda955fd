#include "rewriter/Files.h"

#include "ir/Litmus.h"

#include <dtl/dtl.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace rdma {

namespace fs = std::filesystem;

std::string readFile(const std::string &Name) {
  std::ifstream In(Name, std::ios::binary);
  std::ostringstream Text;
  if (!In || !(Text << In.rdbuf()))
    throw InputError({Name, 0, 0, {}}, "cannot read the file");
  return Text.str();
}

static std::vector<std::string> lines(const std::string &Text) {
  std::vector<std::string> Lines;
  std::istringstream In(Text);
  for (std::string Line; std::getline(In, Line);)
    Lines.push_back(Line);
  return Lines;
}

std::string unifiedDiff(const FileContents &Before, const FileContents &After) {
  std::ostringstream Text;
  for (const auto &[Name, New] : After) {
    dtl::Diff<std::string> Diff(lines(Before.at(Name)), lines(New));
    Diff.onHuge();
    Diff.compose();
    Diff.composeUnifiedHunks();
    std::string Relative = Name.starts_with("/") ? Name.substr(1) : Name;
    Text << "--- a/" << Relative << "\n+++ b/" << Relative << "\n";
    Diff.printUnifiedFormat(Text);
  }
  return Text.str();
}

/// Root may write anything; a file that its owner made read-only stays as it is all the same.
static void checkWritable(const std::string &Name) {
  std::error_code Error;
  fs::perms Mode = fs::status(Name, Error).permissions();
  constexpr fs::perms AnyWrite = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  if (Error || (Mode & AnyWrite) == fs::perms::none || !std::ofstream(Name, std::ios::app))
    throw InputError({Name, 0, 0, {}}, "the file is read-only; nothing was changed");
}

void writeAll(const FileContents &Files) {
  for (const auto &[Name, Text] : Files)
    checkWritable(Name);
  std::vector<std::pair<std::string, std::string>> Renames;
  auto Discard = [&] {
    for (const auto &[New, Old] : Renames)
      fs::remove(New);
  };
  for (const auto &[Name, Text] : Files) {
    Renames.push_back({Name + ".rdma-fix", Name});
    std::ofstream Out(Renames.back().first, std::ios::binary);
    if (!(Out << Text) || !Out.flush()) {
      Discard();
      throw InputError({Name, 0, 0, {}}, "cannot write beside the file; nothing was changed");
    }
    fs::permissions(Renames.back().first, fs::status(Name).permissions());
  }
  for (const auto &[New, Old] : Renames)
    fs::rename(New, Old);
}

} // namespace rdma
