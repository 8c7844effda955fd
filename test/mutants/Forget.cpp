#include "test/mutants/Forget.h"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rdma::mutant {
namespace {

constexpr unsigned Half = 1 << 15;

/// What is forgotten in this process.
struct Choice {
  int Number = -1;
  std::string Row;
};

/// By number, and behind these by the hash of a row's symbol; shared with the parent.
unsigned char *Asked = nullptr;

unsigned slotOf(std::string_view Symbol) { return Half + std::hash<std::string_view>{}(Symbol) % Half; }

bool isNumber(const std::string &Name) { return !Name.empty() && Name[0] >= '0' && Name[0] <= '9'; }

Choice of(const std::string &Name) {
  return isNumber(Name) ? Choice{std::atoi(Name.c_str()), ""} : Choice{-1, Name};
}

/// RDMA_FORGET names one from the beginning on.
Choice &chosen() {
  static const char *Name = std::getenv("RDMA_FORGET");
  static Choice Chosen = Name ? of(Name) : Choice();
  return Chosen;
}

void choose(const std::string &Name) { chosen() = of(Name); }

bool asked(const std::string &Name) {
  return Asked[isNumber(Name) ? std::atoi(Name.c_str()) % Half : slotOf(Name)];
}

void limit(unsigned Seconds) {
  rlimit NoCore{0, 0}, Time{Seconds, Seconds + 1};
  setrlimit(RLIMIT_CORE, &NoCore);
  setrlimit(RLIMIT_CPU, &Time);
}

/// True in the child, which may take so many seconds of a processor. In the parent, Failed says whether it
/// did.
bool child(bool &Failed, unsigned Seconds) {
  pid_t Child = fork();
  if (Child == 0) {
    limit(Seconds);
    int Nowhere = open("/dev/null", O_WRONLY);
    dup2(Nowhere, STDOUT_FILENO);
    dup2(Nowhere, STDERR_FILENO);
    return true;
  }
  int Status = 0;
  Failed = Child < 0 || waitpid(Child, &Status, 0) != Child || !WIFEXITED(Status) || WEXITSTATUS(Status) != 0;
  return false;
}

/// As child, but what it says goes to Said and its exit status behind it; parent: what was said.
bool speakingChild(std::string &Said, unsigned Seconds) {
  int File = memfd_create("said", 0);
  pid_t Child = fork();
  if (Child == 0) {
    limit(Seconds);
    dup2(File, STDOUT_FILENO);
    dup2(File, STDERR_FILENO);
    return true;
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  off_t Size = lseek(File, 0, SEEK_END);
  Said.assign(Size, '\0');
  pread(File, Said.data(), Size, 0);
  close(File);
  Said += static_cast<char>(WIFEXITED(Status) ? WEXITSTATUS(Status) : 255);
  return false;
}

void share() {
  void *Shared = mmap(nullptr, 2 * Half, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Shared == MAP_FAILED)
    std::abort();
  Asked = static_cast<unsigned char *>(Shared);
}

/// Returns in the children only. The first one's words and status are this process's own.
void compareEach(const std::string &File, const std::string &Differing) {
  share();
  std::cout.flush();
  std::string First, Said;
  if (speakingChild(First, 60))
    return;
  std::ifstream Names(File);
  std::ofstream Out(Differing, std::ios::app);
  for (std::string Name; std::getline(Names, Name);) {
    if (!asked(Name))
      continue;
    if (speakingChild(Said, 20)) {
      Asked = nullptr;
      return choose(Name);
    }
    if (Said != First)
      Out << Name << std::endl;
  }
  std::cout << First.substr(0, First.size() - 1) << std::flush;
  _exit(static_cast<unsigned char>(First.back()));
}

/// Returns in the children only.
void forgetEach(const std::string &File) {
  share();
  bool Failed = false;
  if (child(Failed, 60))
    return;
  if (Failed)
    _exit(3);
  rusage First;
  getrusage(RUSAGE_CHILDREN, &First);
  const unsigned Seconds = 2 + 10 * First.ru_utime.tv_sec; // what is forgotten may be the end of a loop
  std::ifstream Names(File);
  std::ofstream Noticed(File + ".noticed"), All(File + ".asked");
  for (std::string Name; std::getline(Names, Name);) {
    if (!asked(Name))
      continue;
    All << Name << std::endl; // flushed: a child must not write it again
    if (child(Failed, Seconds)) {
      Asked = nullptr;
      return choose(Name);
    }
    if (Failed)
      Noticed << Name << std::endl;
  }
  _exit(0);
}

} // namespace

bool on(int Number) {
  if (Asked)
    Asked[static_cast<unsigned>(Number) % Half] = 1;
  return Number == chosen().Number;
}

bool row(std::string_view Symbol) {
  if (Asked)
    Asked[slotOf(Symbol)] = 1;
  return Symbol == chosen().Row;
}

void split(Instant Now) {
  static bool Done = false;
  const char *At = std::getenv("RDMA_FORGET_AT"), *File = std::getenv("RDMA_FORGET_EACH");
  if (Done || !At || !File || (std::string_view(At) == "begin") != (Now == Instant::Begin))
    return;
  Done = true;
  if (const char *Differing = std::getenv("RDMA_FORGET_DIFFERING"))
    compareEach(File, Differing);
  else
    forgetEach(File);
}

} // namespace rdma::mutant
