#include "common/launch.h"
#include "common/setup.h"

#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <netinet/in.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

enum { PORTS_PER_RUN = 8, FIRST_PORT = 10000, PORT_WINDOWS = 2800, TIME_LIMIT_SECONDS = 120 };

bool isFree(int Port) {
  int Sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int On = 1;
  setsockopt(Sock, SOL_SOCKET, SO_REUSEADDR, &On, sizeof On);
  sockaddr_in At = {};
  At.sin_family = AF_INET;
  At.sin_port = htons(static_cast<uint16_t>(Port));
  At.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool Free = bind(Sock, reinterpret_cast<sockaddr *>(&At), sizeof At) == 0;
  close(Sock);
  return Free;
}

// Below the kernel's own range of ports, and a different window for each process id, so that runs side by
// side do not meet.
int freePorts() {
  for (int Window = getpid();; ++Window) {
    int Base = FIRST_PORT + Window % PORT_WINDOWS * PORTS_PER_RUN;
    int Free = 0;
    while (Free < PORTS_PER_RUN && isFree(Base + Free))
      ++Free;
    if (Free == PORTS_PER_RUN)
      return Base;
    if (Window == getpid() + PORT_WINDOWS)
      die("no free TCP ports");
  }
}

pid_t startRole(const role &Role, int Port) {
  std::string PortText = std::to_string(Port), IdText = std::to_string(Role.id);
  pid_t Pid = fork();
  if (Pid < 0)
    die("fork");
  if (Pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(TIME_LIMIT_SECONDS);
    execl("/proc/self/exe", program_invocation_name, Role.name, PortText.c_str(), IdText.c_str(), nullptr);
    die("exec");
  }
  return Pid;
}

int statusOf(int WaitStatus) {
  if (WIFSIGNALED(WaitStatus))
    fprintf(stderr, "a role was ended by signal %d (%s)\n", WTERMSIG(WaitStatus),
            WTERMSIG(WaitStatus) == SIGALRM ? "out of time" : strsignal(WTERMSIG(WaitStatus)));
  return WIFEXITED(WaitStatus) ? WEXITSTATUS(WaitStatus) : 1;
}

} // namespace

int launch(const role roles[], int count) {
  fflush(stdout);
  int Port = freePorts();
  std::vector<pid_t> Running;
  for (int I = 0; I < count; ++I)
    Running.push_back(startRole(roles[I], Port));
  bool Bad = false, Failed = false;
  for (int WaitStatus; !Running.empty();) {
    pid_t Ended = wait(&WaitStatus);
    std::erase(Running, Ended);
    int Status = Failed ? 0 : statusOf(WaitStatus);
    Bad |= Status == EXIT_BAD_OUTCOME;
    if (Status == 0 || Status == EXIT_BAD_OUTCOME)
      continue;
    Failed = true;
    for (pid_t Pid : Running)
      kill(Pid, SIGKILL);
  }
  puts(Failed ? "failed: a role did not finish"
       : Bad  ? "BAD: the outcome that must not be"
              : "ok: all roles finished");
  return Failed ? 1 : Bad ? EXIT_BAD_OUTCOME : 0;
}
