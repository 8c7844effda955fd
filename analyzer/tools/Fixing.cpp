#include "analyzer/tools/Fixing.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rdma {
namespace {

std::string besideThisTool(const std::string &Name) {
  std::error_code Failed;
  return (std::filesystem::read_symlink("/proc/self/exe", Failed).parent_path() / Name).string();
}

std::vector<std::string> commandLine(const Options &O, const Unit &U) {
  std::vector<std::string> Line = {besideThisTool("rdma-fix"), "--in-place",
                                   "--model=" + std::string(name(O.CpuModel))};
  auto Add = [&](const char *Option, const std::string &Value) {
    if (!Value.empty())
      Line.push_back("--" + std::string(Option) + "=" + Value);
  };
  Add("checks", O.Checks);
  Add("topology", O.Topology);
  if (O.ConfigText)
    Add("config", *O.ConfigText);
  if (O.ConfigFile)
    Add("config-file", *O.ConfigFile);
  for (const std::string &Flag : O.ExtraArgs)
    Add("extra-arg", Flag);
  for (const std::string &Flag : O.ExtraArgsBefore)
    Add("extra-arg-before", Flag);
  Add("assume-topology", O.Assumption);
  if (O.OpenWorld)
    Line.push_back("--open-world");
  if (!O.BuildPath.empty()) {
    Line.push_back("-p");
    Line.push_back(O.BuildPath);
  }
  Line.insert(Line.end(), U.Files.begin(), U.Files.end());
  if (O.HasCompileFlags) {
    Line.push_back("--");
    Line.insert(Line.end(), O.CompileFlags.begin(), O.CompileFlags.end());
  }
  return Line;
}

int run(const std::vector<std::string> &Line) {
  std::vector<char *> Words;
  for (const std::string &Word : Line)
    Words.push_back(const_cast<char *>(Word.c_str()));
  Words.push_back(nullptr);
  pid_t Child = 0;
  if (int Error = posix_spawn(&Child, Words[0], nullptr, nullptr, Words.data(), environ))
    throw UsageError("cannot start '" + Line[0] + "': " + std::strerror(Error));
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 2;
}

} // namespace

int fixInPlace(const Options &O, const std::vector<Unit> &Units) {
  int Worst = 0;
  for (const Unit &U : Units)
    Worst = std::max(Worst, run(commandLine(O, U)));
  return Worst;
}

} // namespace rdma
