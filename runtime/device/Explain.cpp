#include "runtime/device/Explain.h"

#include <cstdio>
#include <fstream>
#include <set>
#include <unistd.h>

namespace rdma::device {

namespace {

/// A node's name in the table of local sockets.
struct Holder {
  unsigned User = 0;
  std::string Fabric;
};

/// The nodes of this network namespace with this LID, whoever's they are.
std::vector<Holder> holdersOf(uint32_t Lid) {
  std::vector<Holder> Found;
  std::ifstream Sockets("/proc/net/unix");
  for (std::string Line; std::getline(Sockets, Line);) {
    size_t At = Line.find("@rdma/");
    if (At == std::string::npos || Line.find(" 00010000 ") == std::string::npos) // it listens
      continue;
    std::string Name = Line.substr(At + 6);
    size_t User = Name.find('/'), End = Name.rfind('/');
    if (User < End && Name.substr(End + 1) == std::to_string(Lid))
      Found.push_back({static_cast<unsigned>(atoi(Name.c_str())), Name.substr(User + 1, End - User - 1)});
  }
  return Found;
}

/// Of a queue pair that is connected to this one, but counts its packets otherwise.
std::string ofPackets(QueuePair &By) {
  if (!By.Target || !By.Target->alive())
    return {};
  uint32_t Number = By.Shared->PeerNumber;
  const SharedQueuePair &There = By.Target->segment().QueuePairs[queuePairIndex(Number)];
  if (There.Number != Number || !isReceiving(There.State) || There.PeerNumber != By.number() ||
      There.ExpectedPsn == By.FirstPsn)
    return {};
  return "its queue pair " + std::to_string(Number) + " expects packets from number " +
         std::to_string(There.ExpectedPsn) + " on (rq_psn), this one begins with " +
         std::to_string(By.FirstPsn) + " (sq_psn)";
}

std::string reason(QueuePair &By) {
  if (std::string Text = ofPackets(By); !Text.empty())
    return Text;
  uint32_t Lid = By.Shared->PeerLid, Number = By.Shared->PeerNumber;
  const std::string &Own = Settings::get().Fabric;
  std::string Text;
  for (const Holder &H : holdersOf(Lid)) {
    bool IsOurs = H.User == geteuid() && H.Fabric == Own;
    if (IsOurs && Peer::isHidden("rdma/" + std::to_string(H.User) + "/" + Own + "/" + std::to_string(Lid)))
      return "its process is in another PID namespace, from which its memory cannot be opened here; run both "
             "in one (such as docker run --pid=container:NAME), or each in one of its own";
    if (IsOurs)
      return "that node is here, but its queue pair " + std::to_string(Number) +
             " is not connected to this one";
    Text = H.User == geteuid() ? "it is on the fabric '" + H.Fabric + "', this process is on '" + Own + "'"
                               : "it belongs to user " + std::to_string(H.User) + ", this process to user " +
                                     std::to_string(geteuid());
  }
  return !Text.empty() ? Text
                       : "no node of the fabric '" + Own +
                             "' has it: its process has ended, or runs in another network namespace";
}

} // namespace

void explainUnreachable(QueuePair &By) {
  const SharedQueuePair &Qp = *By.Shared;
  static std::mutex Lock;
  static auto *Said = new std::set<uint64_t>;
  std::lock_guard Guard(Lock);
  if (Said->insert(uint64_t(Qp.PeerLid) << 32 | Qp.PeerNumber).second)
    fprintf(stderr, "rdma: no connection to LID 0x%x: %s\n", Qp.PeerLid, reason(By).c_str());
}

} // namespace rdma::device
