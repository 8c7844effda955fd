#include "Apart.h"

#include <cstdlib>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rdma::test {

std::optional<std::string> apart(const std::function<std::string()> &Compute, unsigned Seconds) {
  int Pipe[2];
  if (pipe(Pipe) != 0)
    std::abort();
  pid_t Child = fork();
  if (Child == 0) {
    rlimit NoCore{0, 0}, Time{Seconds, Seconds + 1};
    setrlimit(RLIMIT_CORE, &NoCore);
    setrlimit(RLIMIT_CPU, &Time);
    std::string Result = Compute();
    for (std::size_t Done = 0; Done < Result.size();) {
      ssize_t Wrote = write(Pipe[1], Result.data() + Done, Result.size() - Done);
      if (Wrote <= 0)
        _exit(1);
      Done += Wrote;
    }
    _exit(0);
  }
  close(Pipe[1]);
  std::string Result;
  char Buffer[4096];
  for (ssize_t Got; (Got = read(Pipe[0], Buffer, sizeof Buffer)) > 0;)
    Result.append(Buffer, Got);
  close(Pipe[0]);
  int Status = 0;
  bool Clean =
      Child > 0 && waitpid(Child, &Status, 0) == Child && WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
  return Clean ? std::optional(Result) : std::nullopt;
}

} // namespace rdma::test
