// rsockets for datagrams: who gets what, from whom, and what is lost.
#include "Connections.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <rdma/rsocket.h>
#include <thread>

using namespace rdma::test;

namespace {

void runHere(const std::function<void()> &Body) {
  for (bool Weak : {false, true})
    EXPECT_EQ(runRole({Weak}, Body), 0) << (Weak ? "weak" : "strong");
}

int newSocket(int Family = AF_INET) {
  int Fd = rsocket(Family, SOCK_DGRAM, 0);
  CHECK(Fd >= 0);
  return Fd;
}

socklen_t sizeOf(const Host &At) {
  return At.Storage.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

int boundTo(Host At) {
  int Fd = newSocket(At.Storage.ss_family);
  CHECK(rbind(Fd, At, sizeOf(At)) == 0);
  return Fd;
}

bool send(int Fd, const std::string &What, Host To) {
  return rsendto(Fd, What.data(), What.size(), 0, To, sizeOf(To)) == static_cast<ssize_t>(What.size());
}

struct Got {
  std::string What, Host;
  uint16_t Port = 0;
};

/// Waits for it.
Got receive(int Fd, int Flags = 0) {
  char Room[4096];
  sockaddr_storage From = {};
  socklen_t Size = sizeof From;
  ssize_t Length = rrecvfrom(Fd, Room, sizeof Room, Flags, reinterpret_cast<sockaddr *>(&From), &Size);
  CHECK(Length >= 0);
  char Text[INET6_ADDRSTRLEN];
  auto *V4 = reinterpret_cast<sockaddr_in *>(&From);
  auto *V6 = reinterpret_cast<sockaddr_in6 *>(&From);
  bool IsV4 = From.ss_family == AF_INET;
  CHECK(Size == (IsV4 ? sizeof *V4 : sizeof *V6));
  inet_ntop(From.ss_family, IsV4 ? static_cast<void *>(&V4->sin_addr) : &V6->sin6_addr, Text, sizeof Text);
  return {std::string(Room, static_cast<size_t>(Length)), Text, ntohs(V4->sin_port)};
}

bool isReady(int Fd, int Milliseconds) {
  pollfd Poll = {Fd, POLLIN, 0};
  return rpoll(&Poll, 1, Milliseconds) == 1 && Poll.revents == POLLIN;
}

TEST(DatagramSocket, AnswersWhoHasSent) {
  runHere([] {
    int One = newSocket(), Two = boundTo(Host("127.0.0.1", 7000));
    for (int I = 0; I < 100; ++I) {
      CHECK(send(One, "question " + std::to_string(I), Host("127.0.0.1", 7000)));
      Got Question = receive(Two);
      CHECK(Question.What == "question " + std::to_string(I) && Question.Host == "127.0.0.1");
      CHECK(Question.Port >= 32768);
      CHECK(send(Two, "", Host("127.0.0.1", Question.Port))); // an empty one is one, too
      Got Answer = receive(One);
      CHECK(Answer.What.empty() && Answer.Host == "127.0.0.1" && Answer.Port == 7000);
    }
    CHECK(!isReady(One, 0) && !isReady(Two, 0));
    CHECK(rclose(One) == 0 && rclose(Two) == 0);
  });
}

/// A receiver that does something else keeps nobody waiting, and finds all when it looks.
TEST(DatagramSocket, WaitsForNoReceiver) {
  runHere([] {
    int Two = boundTo(Host("127.0.0.1", 7000));
    int One = newSocket();
    for (int I = 0; I < 20; ++I)
      CHECK(send(One, std::to_string(I), Host("127.0.0.1", 7000)));
    CHECK(rclose(One) == 0);
    for (int I = 0; I < 20; ++I)
      CHECK(receive(Two).What == std::to_string(I));
    CHECK(!isReady(Two, 0));
  });
}

/// As a call that sleeps in ibv_get_cq_event: but where the handler is one after which calls go on.
TEST(DatagramSocket, WaitsUntilASignalComes) {
  runHere([] {
    static std::atomic<int> Signals;
    struct sigaction Action = {};
    Action.sa_handler = [](int) { ++Signals; };
    CHECK(sigaction(SIGUSR1, &Action, nullptr) == 0);
    int One = newSocket(), Two = boundTo(Host("127.0.0.1", 7000));
    auto wake = [Sleeper = pthread_self()](int Times) {
      for (int I = 0; I < Times; ++I) { // it may be awake just then
        usleep(15000);
        pthread_kill(Sleeper, SIGUSR1);
      }
    };
    std::thread Wakes(wake, 40);
    char Room[64];
    CHECK(rrecv(Two, Room, sizeof Room, 0) == -1 && errno == EINTR);
    Action.sa_flags = SA_RESTART;
    CHECK(sigaction(SIGUSR1, &Action, nullptr) == 0);
    Wakes.join();
    Signals = 0;
    std::thread Sends([&] {
      wake(5);
      CHECK(send(One, "at last", Host("127.0.0.1", 7000)));
    });
    CHECK(receive(Two).What == "at last" && Signals > 0);
    Sends.join();
  });
}

TEST(DatagramSocket, FindsWhoHasThePortNow) {
  runHere([] {
    int One = newSocket();
    CHECK(send(One, "lost", Host("127.0.0.1", 7000))); // to nobody
    for (int Round = 0; Round < 3; ++Round) {
      int Two = boundTo(Host("127.0.0.1", 7000));
      for (int I = 0; I < 3; ++I) {
        CHECK(send(One, std::to_string(I), Host("127.0.0.1", 7000)));
        CHECK(receive(Two).What == std::to_string(I));
      }
      CHECK(rclose(Two) == 0);
      CHECK(!isReady(One, 1)); // it looks, and learns that the other one has gone
    }
  });
}

TEST(DatagramSocket, HearsOnlyWhomItIsConnectedTo) {
  runHere([] {
    int One = boundTo(Host("127.0.0.1", 7000)), Two = boundTo(Host("127.0.0.1", 7001));
    int Three = boundTo(Host("127.0.0.1", 7002));
    CHECK(rsend(One, "x", 1, 0) == -1 && errno == EDESTADDRREQ);
    sockaddr_storage There;
    socklen_t Size = sizeof There;
    CHECK(rgetpeername(One, reinterpret_cast<sockaddr *>(&There), &Size) == -1 && errno == ENOTCONN);
    CHECK(rconnect(One, Host("127.0.0.1", 7001), sizeof(sockaddr_in)) == 0);
    CHECK(rgetpeername(One, reinterpret_cast<sockaddr *>(&There), &Size) == 0 && Size == sizeof(sockaddr_in));
    CHECK(reinterpret_cast<sockaddr_in *>(&There)->sin_port == htons(7001));
    CHECK(rsend(One, "x", 1, 0) == 1 && receive(Two).What == "x");
    CHECK(send(Three, "no", Host("127.0.0.1", 7000)) && send(Two, "yes", Host("127.0.0.1", 7000)));
    CHECK(receive(One).What == "yes" && !isReady(One, 1));
  });
}

TEST(DatagramSocket, CutsWhatIsTooLong) {
  runHere([] {
    int One = newSocket(), Two = boundTo(Host("127.0.0.1", 7000));
    for (int I = 0; I < 2; ++I) { // by the door, then by the card
      CHECK(send(One, "abcdef", Host("127.0.0.1", 7000)));
      CHECK(receive(Two, MSG_PEEK).What == "abcdef");
      char First[2], Second[2];
      iovec Parts[] = {{First, 2}, {Second, 2}};
      msghdr Message = {};
      Message.msg_iov = Parts;
      Message.msg_iovlen = 2;
      CHECK(rrecvmsg(Two, &Message, 0) == 4 && Message.msg_flags == MSG_TRUNC);
      CHECK(!memcmp(First, "ab", 2) && !memcmp(Second, "cd", 2) && !isReady(Two, 0));
    }
    std::string Most(4096 - 28, 'm');
    CHECK(send(One, Most, Host("127.0.0.1", 7000)) && receive(Two).What == Most);
    CHECK(!send(One, Most + "m", Host("127.0.0.1", 7000)) && errno == EMSGSIZE);
  });
}

TEST(DatagramSocket, SaysWhatIsWrong) {
  runHere([] {
    int One = boundTo(Host("127.0.0.1", 7000)), Two = newSocket();
    CHECK(rbind(Two, Host("127.0.0.1", 7000), sizeof(sockaddr_in)) == -1 && errno == EADDRINUSE);
    CHECK(rbind(Two, Host("192.0.2.1", 7000), sizeof(sockaddr_in)) == -1 && errno == EADDRNOTAVAIL);
    CHECK(!send(Two, "x", Host("192.0.2.1", 7000)) && errno == ENETUNREACH); // another machine
    CHECK(rlisten(Two, 1) == -1 && errno == EOPNOTSUPP);
    char Room;
    CHECK(rrecv(One, &Room, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    // A port of streams is another one.
    int Stream = rsocket(AF_INET, SOCK_STREAM, 0);
    CHECK(rbind(Stream, Host("127.0.0.1", 7000), sizeof(sockaddr_in)) == 0);
    CHECK(rsocket(AF_INET, SOCK_RAW, 0) == -1 && errno == EPROTONOSUPPORT);
    CHECK(rsocket(AF_UNIX, SOCK_DGRAM, 0) == -1 && errno == EAFNOSUPPORT);
  });
}

TEST(DatagramSocket, OfIPv6HearsIPv4Too) {
  runHere([] {
    int Two = boundTo(Host("::", 7000)), One = newSocket(), Six = newSocket(AF_INET6);
    CHECK(send(One, "four", Host("127.0.0.1", 7000)));
    Got Four = receive(Two);
    CHECK(Four.What == "four" && Four.Host == "::ffff:127.0.0.1");
    CHECK(send(Two, "back", Host(Four.Host.c_str(), Four.Port)));
    CHECK(receive(One).Host == "127.0.0.1");
    CHECK(send(Six, "six", Host("::1", 7000)) && receive(Two).Host == "::1");
  });
}

/// Two processes; the one that waits is woken.
TEST(DatagramSocket, WakesWhoWaits) {
  auto Echo = [](Line L) {
    int Fd = boundTo(Host("127.0.0.1", 7000));
    L.meet();
    for (int I = 0; I < 200; ++I) {
      Got Question = receive(Fd);
      CHECK(send(Fd, Question.What, Host("127.0.0.1", Question.Port)));
    }
    L.meet();
  };
  auto Ask = [](Line L) {
    int Fd = newSocket();
    L.meet();
    for (int I = 0; I < 200; ++I) {
      CHECK(send(Fd, std::to_string(I), Host("127.0.0.1", 7000)));
      CHECK(isReady(Fd, -1) && receive(Fd).What == std::to_string(I));
    }
    L.meet();
  };
  for (bool Weak : {false, true})
    EXPECT_EQ(runRoles({Weak}, Echo, Ask), std::make_pair(0, 0));
}

} // namespace
