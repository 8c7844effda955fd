#include "analyzer/tools/Fixing.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rdma {
namespace {

std::string besideThisTool(const std::string &Name) {
  std::error_code Failed;
  return (std::filesystem::read_symlink("/proc/self/exe", Failed).parent_path() / Name).string();
}

std::vector<std::string> commandLine(const FixRequest &R, const Unit &U, const std::string &How) {
  const Options &O = R.Inputs;
  // Not the nearest file: every unit is fixed by what was in force for the findings.
  std::vector<std::string> Line = {besideThisTool("rdma-fix"), How, "--config=" + dumpConfig(R.InForce)};
  auto Add = [&](const char *Option, const std::string &Value) {
    if (!Value.empty())
      Line.push_back("--" + std::string(Option) + "=" + Value);
  };
  Add("line-filter", R.LineFilter);
  Add("topology", U.Topology);
  Add("assume-topology", O.Assumption);
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

int run(const std::vector<std::string> &Line, bool Silent = false) {
  std::vector<char *> Words;
  for (const std::string &Word : Line)
    Words.push_back(const_cast<char *>(Word.c_str()));
  Words.push_back(nullptr);
  pid_t Child = 0;
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  if (Silent)
    posix_spawn_file_actions_addopen(&Actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  int Error = posix_spawn(&Child, Words[0], &Actions, nullptr, Words.data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  if (Error)
    throw UsageError("cannot start '" + Line[0] + "': " + std::strerror(Error));
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 2;
}

} // namespace

int fixInPlace(const FixRequest &R, const std::vector<Unit> &Units) {
  int Worst = 0;
  for (const Unit &U : Units)
    if (U.Alone)
      std::cerr << "rdma-tidy: '" << U.Name << "' is no node of the topology: nothing is fixed in it\n";
    else
      Worst = std::max(Worst, run(commandLine(R, U, "--in-place")));
  return Worst;
}

bool exportFixes(const FixRequest &R, const Unit &U, const std::string &File) {
  return run(commandLine(R, U, "--export-fixes=" + File), /*Silent=*/true) != 2;
}

bool addFixes(nlohmann::json &Sarif, const FixRequest &Asked, const Unit &U) {
  std::string File = (std::filesystem::temp_directory_path() / "rdma-fixes-XXXXXX").string();
  int Opened = mkstemp(File.data());
  if (Opened < 0)
    throw UsageError("cannot make a file in '" + std::filesystem::temp_directory_path().string() + "'");
  close(Opened);
  const int Status = run(commandLine(Asked, U, "--sarif=" + File), /*Silent=*/true);
  nlohmann::json Fixed = nlohmann::json::parse(std::ifstream(File), nullptr, /*allow_exceptions=*/false);
  std::filesystem::remove(File);
  if (Fixed.is_discarded() || Status == 2)
    return false;
  std::map<std::string, nlohmann::json> Fixes;
  for (const nlohmann::json &R : Fixed["runs"][0]["results"])
    if (R.contains("fixes"))
      Fixes[R["partialFingerprints"].dump()] = R["fixes"];
  for (nlohmann::json &R : Sarif["runs"][0]["results"])
    if (auto Found = Fixes.find(R.value("partialFingerprints", nlohmann::json()).dump());
        Found != Fixes.end() && !R.contains("suppressions"))
      R["fixes"] = Found->second;
  return true;
}

} // namespace rdma
