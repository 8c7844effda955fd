#include "runtime/report/Run.h"

#include "runtime/report/Report.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

std::string Folder;
pid_t Child = 0;

[[noreturn]] void fail(const std::string &What) {
  fprintf(stderr, "rdma-run: error: %s: %s\n", What.c_str(), strerror(errno));
  exit(2);
}

void passOn(int Signal) { kill(Child, Signal); }

/// Signals of the terminal reach the program by themselves; what is sent to this process it is given.
void lendSignals(bool Lend) {
  for (int Signal : {SIGINT, SIGQUIT})
    signal(Signal, Lend ? SIG_IGN : SIG_DFL);
  for (int Signal : {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2})
    signal(Signal, Lend ? passOn : SIG_DFL);
}

int waitForChild() {
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR) {
  }
  return Status;
}

std::vector<rdma::report::Report> gather() {
  std::vector<std::filesystem::path> Logs;
  for (const auto &Entry : std::filesystem::directory_iterator(Folder))
    Logs.push_back(Entry.path());
  std::sort(Logs.begin(), Logs.end());
  std::vector<rdma::report::Report> All;
  for (const auto &Path : Logs) {
    std::ifstream File(Path, std::ios::binary);
    std::stringstream Text;
    Text << File.rdbuf();
    std::cerr << Text.str();
    auto Some = rdma::report::readLog(Text);
    std::move(Some.begin(), Some.end(), std::back_inserter(All));
  }
  return All;
}

/// Ends as the program did.
int endLike(int Status) {
  if (!WIFSIGNALED(Status))
    return WEXITSTATUS(Status);
  rlimit None = {0, 0};
  setrlimit(RLIMIT_CORE, &None);
  signal(WTERMSIG(Status), SIG_DFL);
  raise(WTERMSIG(Status));
  return 128 + WTERMSIG(Status);
}

} // namespace

const char *report_prefix(const char *Sarif) {
  if (!std::ofstream(Sarif))
    fail(std::string("--sarif=") + Sarif);
  Folder = (std::filesystem::temp_directory_path() / "rdma-run.XXXXXX").string();
  if (!mkdtemp(Folder.data()))
    fail(Folder);
  static std::string Prefix = Folder + "/report";
  return Prefix.c_str();
}

int report_run(const char *Sarif, char **Program) {
  // Before the program may go somewhere else.
  std::string File = std::filesystem::absolute(Sarif).string();
  Child = fork();
  if (Child < 0)
    fail("fork");
  if (Child == 0) {
    execvp(Program[0], Program);
    fprintf(stderr, "rdma-run: error: %s: %s\n", Program[0], strerror(errno));
    _exit(2);
  }
  lendSignals(true);
  int Status = waitForChild();
  lendSignals(false);
  std::string Log = rdma::report::sarif(gather(), VERSION);
  std::error_code Ignored;
  std::filesystem::remove_all(Folder, Ignored);
  if (!(std::ofstream(File, std::ios::binary) << Log).flush())
    fail("--sarif=" + File);
  return endLike(Status);
}
