// load-kill: a group of processes under mixed operations, of which one is killed again and again at a random
// moment: in the middle of its operations, or while it joins. The others see the error that is due on their
// queue pairs to it, and nothing on any other; then they connect to the process that takes its place.
#include "test/load/Kill.h"
#include "test/load/Arguments.h"
#include "test/load/Crowding.h"

#include <chrono>
#include <csignal>
#include <dirent.h>
#include <fstream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace rdma::load {

using Clock = std::chrono::steady_clock;

namespace {

struct Child {
  pid_t Pid = -1;
  int Fd = -1;
  Note Hello;
  bool Joined = false;
};

/// What the kernel counts of a process.
struct Holdings {
  size_t Files = 0, Threads = 0, Mappings = 0;
};

class Group {
public:
  Group(uint32_t Members, uint64_t Seed) : Seed(Seed), Draw(mix(Seed)), Members(Members) {}
  void run(uint64_t Kills);

private:
  void spawn(uint32_t Number);
  bool join(uint32_t Number);
  bool reach(uint32_t Number, uint32_t Other);
  void kill(uint32_t Number);
  void mourn(uint32_t Number);
  bool hear(uint32_t From, Say What, Note &To);
  Note await(uint32_t From, Say What);
  void tell(uint32_t To, Say What, uint32_t About);
  void finish();
  Holdings holdings() const;
  void checkHoldings(const Holdings &Early, uint64_t Rounds) const;
  bool doomed() const { return Doomed && Clock::now() >= Doom; }

  uint64_t Seed;
  Random Draw;
  std::vector<Child> Members;
  uint64_t Spawned = 0, Killed = 0, KilledJoining = 0, Channels = 1, Operations = 0;
  bool Doomed = false; ///< the one that joins will be killed
  Clock::time_point Doom;
  std::vector<bool> Told; ///< who has heard of the one that joins
  Clock::duration Slowest{};
};

[[noreturn]] void giveUp(const std::string &Why) {
  fprintf(stderr, "load-kill: %s\n", Why.c_str());
  _exit(1); // the members end with this process
}

std::string howEnded(pid_t Pid) {
  int Status = 0;
  usleep(100000);
  if (waitpid(Pid, &Status, WNOHANG) != Pid)
    return " its side of the conversation";
  return WIFSIGNALED(Status) ? " by signal " + std::to_string(WTERMSIG(Status))
                             : " with status " + std::to_string(WEXITSTATUS(Status));
}

void Group::spawn(uint32_t Number) {
  int Ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Ends) == 0);
  ++Spawned;
  pid_t Pid = fork();
  if (Pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const Child &C : Members)
      if (C.Fd >= 0)
        close(C.Fd);
    close(Ends[0]);
    runMember(Number, static_cast<uint32_t>(Members.size()), Seed + Spawned, Ends[1]);
    exit(0);
  }
  CHECK(Pid > 0);
  close(Ends[1]);
  Members[Number] = {Pid, Ends[0], {}, false};
}

void Group::kill(uint32_t Number) {
  Child &C = Members[Number];
  CHECK(::kill(C.Pid, SIGKILL) == 0);
  int Status = 0;
  CHECK(waitpid(C.Pid, &Status, 0) == C.Pid);
  if (!WIFSIGNALED(Status) || WTERMSIG(Status) != SIGKILL)
    giveUp("member " + std::to_string(Number) + " had ended by itself");
  close(C.Fd);
  C = {};
  ++Killed;
}

/// The next note of a member. False when the one that joins is to be killed now.
bool Group::hear(uint32_t From, Say What, Note &To) {
  auto Since = Clock::now();
  pollfd Poll = {Members[From].Fd, POLLIN, 0};
  while (poll(&Poll, 1, 1) == 0) {
    if (doomed())
      return false;
    if (isHang<Clock>(Since, std::chrono::seconds(60)))
      giveUp("member " + std::to_string(From) + " does not answer");
  }
  ssize_t Got = read(Members[From].Fd, &To, sizeof To);
  if (Got != sizeof To || To.What != What)
    giveUp("member " + std::to_string(From) + " has ended" + howEnded(Members[From].Pid));
  return true;
}

Note Group::await(uint32_t From, Say What) {
  Note N;
  bool Before = std::exchange(Doomed, false);
  CHECK(hear(From, What, N));
  Doomed = Before;
  return N;
}

void Group::tell(uint32_t To, Say What, uint32_t About) {
  Note N;
  N.What = What;
  N.Member = About;
  test::Line(Members[To].Fd).tell(N);
}

/// Connects two members, the one that joins last.
bool Group::reach(uint32_t Number, uint32_t Other) {
  auto connect = [&](uint32_t Who, uint32_t To, uint64_t Channel, uint64_t Peer) {
    Note N;
    N.What = Say::Connect;
    N.Member = To;
    N.Channel = Channel;
    N.PeerChannel = Peer;
    for (uint32_t I = 0; I < LinksOfPair; ++I)
      N.There[To * LinksOfPair + I] = Members[To].Hello.There[Who * LinksOfPair + I];
    // A member that was killed is noticed when it should answer.
    (void)!write(Members[Who].Fd, &N, sizeof N);
  };
  uint64_t Channel = Channels, Peer = Channels + LinksOfPair;
  Channels += 2 * LinksOfPair;
  Told[Other] = true;
  connect(Other, Number, Peer, Channel);
  await(Other, Say::Connected);
  connect(Number, Other, Channel, Peer);
  Note N;
  if (!hear(Number, Say::Connected, N))
    return false;
  tell(Other, Say::Go, Number);
  tell(Number, Say::Go, Other);
  return true;
}

/// Brings a member in; false when it is to be killed before that is done.
bool Group::join(uint32_t Number) {
  Told.assign(Members.size(), false);
  spawn(Number);
  if (!hear(Number, Say::Hello, Members[Number].Hello))
    return false;
  for (uint32_t Other = 0; Other < Members.size(); ++Other)
    if (Members[Other].Joined && !reach(Number, Other))
      return false;
  Members[Number].Joined = true;
  return !doomed();
}

/// All that were connected to the dead member see that it is gone.
void Group::mourn(uint32_t Number) {
  auto Began = Clock::now();
  for (uint32_t I = 0; I < Members.size(); ++I)
    if (Members[I].Joined && Told[I])
      tell(I, Say::Gone, Number);
  for (uint32_t I = 0; I < Members.size(); ++I)
    if (Members[I].Joined && Told[I])
      await(I, Say::Drained);
  Slowest = std::max(Slowest, Clock::now() - Began);
}

size_t entriesOf(const std::string &Folder) {
  size_t Count = 0;
  if (DIR *D = opendir(Folder.c_str())) {
    while (readdir(D))
      ++Count;
    closedir(D);
  }
  return Count;
}

Holdings Group::holdings() const {
  std::string Process = "/proc/" + std::to_string(Members[0].Pid);
  Holdings Now = {entriesOf(Process + "/fd"), entriesOf(Process + "/task"), 0};
  std::ifstream Maps(Process + "/maps");
  for (std::string Line; std::getline(Maps, Line);)
    ++Now.Mappings;
  return Now;
}

/// The first member is never killed: whatever it kept of dead peers would add up.
void Group::checkHoldings(const Holdings &Early, uint64_t Rounds) const {
  Holdings Now = holdings();
  // A dead peer that is kept costs a file and several mappings; allocators come and go.
  size_t Slack = 5 + Rounds / 8;
  if (Now.Files > Early.Files + Slack || Now.Threads > Early.Threads ||
      Now.Mappings > Early.Mappings + 40 + Rounds / 2)
    giveUp("the first member had " + std::to_string(Early.Files) + " files, " +
           std::to_string(Early.Threads) + " threads and " + std::to_string(Early.Mappings) +
           " mappings, and now has " + std::to_string(Now.Files) + ", " + std::to_string(Now.Threads) +
           " and " + std::to_string(Now.Mappings));
}

void Group::finish() {
  uint32_t Count = static_cast<uint32_t>(Members.size());
  std::vector<Note> Said;
  for (uint32_t I = 0; I < Count; ++I)
    tell(I, Say::Finish, 0);
  for (uint32_t I = 0; I < Count; ++I)
    Said.push_back(await(I, Say::Finished));
  for (uint32_t I = 0; I < Count; ++I) {
    Note N;
    N.What = Say::Due;
    for (uint32_t Link = 0; Link < Count * LinksOfPair; ++Link)
      N.Messages[Link] = Said[Link / LinksOfPair].Messages[I * LinksOfPair + Link % LinksOfPair];
    test::Line(Members[I].Fd).tell(N);
  }
  for (uint32_t I = 0; I < Count; ++I)
    Operations += await(I, Say::Finished).Operations;
  for (uint32_t I = 0; I < Count; ++I)
    tell(I, Say::Leave, 0);
  for (Child &C : Members) {
    int Status = 0;
    if (waitpid(C.Pid, &Status, 0) != C.Pid || Status)
      giveUp("a member ended with wait status " + std::to_string(Status));
  }
}

void Group::run(uint64_t Kills) {
  for (uint32_t I = 0; I < Members.size(); ++I)
    CHECK(join(I));
  Holdings Early;
  uint64_t Rounds = 0;
  while (Killed < Kills) {
    ++Rounds;
    usleep(Draw.below(30000));
    uint32_t Number = 1 + Draw.below(static_cast<uint32_t>(Members.size()) - 1);
    kill(Number);
    Told.assign(Members.size(), true);
    mourn(Number);
    // One in three that take its place are killed while they join.
    for (bool Joined = false; !Joined;) {
      Doomed = Killed < Kills && Draw.below(3) == 0;
      Doom = Clock::now() + std::chrono::microseconds(Draw.below(20000));
      Joined = join(Number);
      Doomed = false;
      if (Joined)
        break;
      kill(Number);
      ++KilledJoining;
      mourn(Number);
    }
    if (Rounds == 1)
      Early = holdings();
  }
  checkHoldings(Early, Rounds);
  finish();
  printf("%lu killed, %lu of them while they joined; %lu operations of those who lived\n", Killed,
         KilledJoining, Operations);
  fprintf(stderr, "slowest to see it: %ld ms\n",
          static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(Slowest).count()));
}

/// Nothing of the fabric is left in the kernel.
void checkNothingLeft(const std::string &Fabric) {
  std::ifstream Names("/proc/net/unix");
  for (std::string Line; std::getline(Names, Line);)
    if (Line.find("/" + Fabric + "/") != std::string::npos)
      giveUp("a name is left on the fabric: " + Line);
}

} // namespace
} // namespace rdma::load

int main(int Count, char **Arguments) {
  using namespace rdma::load;
  uint64_t Members = 5, Kills = 10, Seed = 1;
  readArguments(Count, Arguments, "load-kill",
                {{"--processes=", Members, 2, MaxMembers},
                 {"--kills=", Kills, 1, 1000000},
                 {"--seed=", Seed, 0, ~uint64_t(0)}});
  std::string Fabric = "kill-" + std::to_string(getpid());
  setenv("RDMA_FABRIC", Fabric.c_str(), 1);
  Group(static_cast<uint32_t>(Members), Seed).run(Kills);
  checkNothingLeft(Fabric);
  return 0;
}
